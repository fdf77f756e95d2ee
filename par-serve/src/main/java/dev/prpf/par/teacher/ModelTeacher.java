package dev.prpf.par.teacher;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A teacher that gets rationales from a model on an OpenAI-compatible server (PRPF A.3). Every answer is journaled before use, so no request
 * is sent twice. An unreachable server ends the run with an exception; requests are never silently dropped.
 */
public final class ModelTeacher implements Teacher {
    private static final Logger LOG = LoggerFactory.getLogger(ModelTeacher.class);
    private static final int CHUNK_SIZE = 256;

    private final Config.TeacherSettings settings;
    private final ChatClient client;
    private final AnswerJournal journal;
    private final RationalePrompts prompts;

    /**
     * Makes a teacher that closes client and journal with itself.
     *
     * @param seen texts and images of screenshots, for the server
     */
    public ModelTeacher(
            Config.TeacherSettings settings,
            ChatClient client,
            AnswerJournal journal,
            ScenarioCatalog catalog,
            Screens seen) {
        this.settings = settings;
        this.client = client;
        this.journal = journal;
        PromptSettings shown = PromptSettings.paper().with(settings.screenshots(), settings.maxVisualTokens());
        prompts = new RationalePrompts(new PromptRenderer(shown, catalog, seen.texts()), seen.images());
    }

    /**
     * The sources of screenshots' content.
     *
     * @param texts reads the text on screenshots
     * @param images folder of the image files
     */
    public record Screens(ScreenTexts texts, ImageFolder images) {}

    /** Returns the model's name, and a hash over all settings that influence its texts. */
    @Override
    public String id() {
        return client.id("model", RationalePrompts.VERSION + "\n" + StrictYaml.write(settings));
    }

    /**
     * {@inheritDoc} Drops requests that the server rejects.
     *
     * @throws dev.prpf.base.error.PrpfException see {@link ChatClient#ask}; earlier answers are in the journal
     */
    @Override
    public List<RationaleResult> write(List<RationaleRequest> requests) {
        List<RationaleResult> results = new ArrayList<>();
        for (int from = 0; from < requests.size(); from += CHUNK_SIZE) {
            results.addAll(writeChunk(requests.subList(from, Math.min(requests.size(), from + CHUNK_SIZE))));
        }
        return results;
    }

    private List<RationaleResult> writeChunk(List<RationaleRequest> requests) {
        Map<RationaleRequest, String> summaries = new HashMap<>();
        Map<RationaleRequest, RationaleResult> results = new HashMap<>();
        List<RationaleRequest> screens = requests.stream()
                .filter(request -> request.sample().modality() == Modality.MULTIMODAL)
                .toList();
        ask(screens, prompts::summary, results, (request, answer) -> {
            String summary = answer.isCut() ? null : RationaleReader.summary(answer.text());
            if (summary == null) {
                String why = answer.isCut()
                        ? "max-tokens = " + settings.sampling().maxTokens() + " cut its summary off"
                        : "its summary is empty";
                results.put(request, new RationaleResult.Dropped(RationaleResult.Fault.UNREADABLE, why));
            } else {
                summaries.put(request, summary);
            }
        });
        List<RationaleRequest> open = requests.stream()
                .filter(request -> !results.containsKey(request))
                .toList();
        ask(
                open,
                request -> prompts.reasoning(request, summaries.get(request)),
                results,
                (request, answer) ->
                        results.put(request, RationaleReader.read(answer.text(), request, summaries.get(request))));
        return requests.stream()
                .map(request -> logged(request, Objects.requireNonNull(results.get(request))))
                .toList();
    }

    /** Sends requests and handles the answers; drops requests that the server rejects. */
    private void ask(
            List<RationaleRequest> requests,
            Function<RationaleRequest, List<ChatRequest.Turn>> turns,
            Map<RationaleRequest, RationaleResult> results,
            BiConsumer<RationaleRequest, ChatOutcome.Answer> answers) {
        List<ChatRequest> sent = requests.stream()
                .map(request -> new ChatRequest(request.sample().id(), turns.apply(request), settings.sampling(), null))
                .toList();
        List<ChatOutcome> outcomes = journal.ask(client, sent, () -> {});
        for (int i = 0; i < outcomes.size(); i++) {
            if (outcomes.get(i) instanceof ChatOutcome.NoAnswer refusal) {
                RationaleResult.Fault fault = refusal instanceof ChatOutcome.TooLong
                        ? RationaleResult.Fault.TOO_LONG
                        : RationaleResult.Fault.REFUSED;
                results.put(requests.get(i), new RationaleResult.Dropped(fault, refusal.why()));
            } else {
                answers.accept(requests.get(i), (ChatOutcome.Answer) outcomes.get(i));
            }
        }
    }

    private static RationaleResult logged(RationaleRequest request, RationaleResult result) {
        if (result instanceof RationaleResult.Dropped dropped) {
            LOG.warn("sample {}: its rationale is dropped: {}", request.sample().id(), dropped.why());
        }
        return result;
    }

    @Override
    public void close() {
        client.close();
        journal.close();
    }

    /**
     * The configuration of a teacher on a server, {@code configs/teacher.yaml}.
     *
     * @param server connection settings
     * @param teacher settings that influence its texts; a change sends every request again
     * @param price price of tokens, or null
     */
    @Defaults(
            value = "/configs/teacher.yaml",
            except = {"server.urls", "teacher.model"})
    public record Config(ServerSettings server, TeacherSettings teacher, RemoteUsage.@Nullable TokenPrice price) {

        /**
         * The settings that influence a model's rationales, the {@code teacher:} section of {@code configs/teacher.yaml}.
         *
         * @param model the model's name in the server's /v1/models
         * @param sampling parameters of sampling
         * @param screenshots form in which the model gets screenshots
         * @param maxVisualTokens maximum of a screenshot, which is scaled down to it; null to send images unscaled
         */
        public record TeacherSettings(
                String model,
                SamplingSettings sampling,
                ScreenshotForm screenshots,
                @Nullable Integer maxVisualTokens) {
            public TeacherSettings {
                if (model.isBlank()) {
                    throw new IllegalArgumentException("model is blank; give the name in the server's /v1/models");
                }
                PromptSettings.paper().with(screenshots, maxVisualTokens);
            }
        }
    }
}
