package dev.prpf.par.teacher;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.Modality;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.openai.SamplingSettings;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.prompt.ScreenshotForm;
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
 * A model on a server that speaks the OpenAI protocol writes the rationales (PRPF A.3). Every answer is in the journal before anything is
 * made of it, so that no question is sent twice. A server that does not answer is an exception and ends the run; it never drops a request.
 */
public final class ModelTeacher implements Teacher {
    private static final Logger LOG = LoggerFactory.getLogger(ModelTeacher.class);
    private static final int CHUNK_SIZE = 256;

    private final Config.TeacherSettings settings;
    private final ChatClient client;
    private final AnswerJournal journal;
    private final RationalePrompts prompts;

    /**
     * Client and journal are closed with the teacher.
     *
     * @param seen what of a sample's screenshots the server gets
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
     * Where screenshots come from.
     *
     * @param texts reads them
     * @param images where they lie
     */
    public record Screens(ScreenTexts texts, ImageFolder images) {}

    /** The model's name, and a hash over all that decides its texts. */
    @Override
    public String id() {
        return client.id("model", RationalePrompts.VERSION + "\n" + StrictYaml.write(settings));
    }

    /**
     * {@inheritDoc}
     *
     * @throws dev.prpf.base.error.PrpfException as {@link ChatClient#ask}; what was answered before is in the journal
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

    /** Takes the answers; a request that the server refused is dropped. */
    private void ask(
            List<RationaleRequest> requests,
            Function<RationaleRequest, List<ChatRequest.Turn>> turns,
            Map<RationaleRequest, RationaleResult> results,
            BiConsumer<RationaleRequest, ChatOutcome.Answer> answers) {
        List<ChatRequest> asked = requests.stream()
                .map(request -> new ChatRequest(request.sample().id(), turns.apply(request), settings.sampling(), null))
                .toList();
        List<ChatOutcome> outcomes = journal.ask(client, asked, () -> {});
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
     * A teacher on a server: {@code configs/teacher.yaml}.
     *
     * @param server how it is reached
     * @param teacher what decides its texts; with other settings every request is sent again
     * @param price what it costs, or null
     */
    public record Config(ServerSettings server, TeacherSettings teacher, RemoteUsage.@Nullable TokenPrice price) {

        /**
         * What decides a model's rationales; the {@code teacher:} section of {@code configs/teacher.yaml}.
         *
         * @param model as the server calls it
         * @param sampling how its texts are drawn
         * @param screenshots as what it gets screenshots
         * @param maxVisualTokens of a screenshot that it sees, which is made smaller to take no more; null for the picture as it is
         */
        public record TeacherSettings(
                String model,
                SamplingSettings sampling,
                ScreenshotForm screenshots,
                @Nullable Integer maxVisualTokens) {
            public TeacherSettings {
                if (model.isBlank()) {
                    throw new IllegalArgumentException(
                            "model is blank; name the model as the server's /v1/models does");
                }
                PromptSettings.paper().with(screenshots, maxVisualTokens);
            }
        }
    }
}
