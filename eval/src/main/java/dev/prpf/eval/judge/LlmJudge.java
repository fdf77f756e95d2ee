package dev.prpf.eval.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.Rule;
import dev.prpf.base.run.Progress;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.eval.judge.Judge.ExactJudge;
import dev.prpf.eval.judge.VerdictReader.Reading;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings.StructuredOutput;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatModel;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.ChatRequest.SentImage;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.openai.ServerSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A language model as judge (PRPF B.3), on a server or in this process. Calls that {@link ExactJudge} finds equal are equivalent without a
 * request. For the others the model gives a reason, then a decision. An invalid answer is sent back once and then counts as an abstention, as
 * does a prompt too long for the model. The journal keeps every answer under the hash of the whole request (model, prompt with its rubric,
 * sampling), so that no request is repeated.
 *
 * @param model closed with the judge
 * @param journal closed with the judge
 * @param settings the settings that determine its answers
 * @param images the folder of the screenshots that the model sees
 * @param price of its tokens, or null
 */
public record LlmJudge(
        ChatModel model,
        AnswerJournal journal,
        Settings settings,
        ImageFolder images,
        RemoteUsage.@Nullable TokenPrice price)
        implements Judge {
    private static final String EQUAL = "equal calls; the model was not asked";

    /**
     * The settings of a judge; the {@code judge:} section of {@code configs/judge-llm.yaml}.
     *
     * @param model the model's name in the server's /v1/models
     * @param sampling of answers: at temperature 0, so that verdicts are deterministic
     * @param structuredOutput the output format that the server enforces
     * @param screenshots the screenshots that the model sees; null for none
     * @param language of its prompts; null for the language of each record
     */
    public record Settings(
            String model,
            SamplingSettings sampling,
            StructuredOutput structuredOutput,
            @Nullable ShownScreenshots screenshots,
            @Nullable Language language) {
        public Settings {
            Rule.require(!model.isBlank(), "model", "\"" + model + "\"", "the model's name in the server's /v1/models");
            Rule.require(
                    sampling.temperature() == 0,
                    "sampling.temperature",
                    sampling.temperature(),
                    "0, so that a verdict is no draw");
            JsonNode sent = sampling.extraBody().path("temperature");
            Rule.require(
                    sent.isMissingNode() || sent.isNull() || (sent.isNumber() && sent.doubleValue() == 0),
                    "sampling.extra-body.temperature",
                    sent,
                    "0, or null for a model that takes none");
        }
    }

    /**
     * The screenshots that a judge sees.
     *
     * @param maxScreenshots the number of last screenshots shown; null for all
     * @param maxVisualTokens the limit to which a screenshot is resized; null for its original size
     */
    public record ShownScreenshots(@Nullable Integer maxScreenshots, @Nullable Integer maxVisualTokens) {
        public ShownScreenshots {
            Rule.require(
                    maxScreenshots == null || maxScreenshots > 0,
                    "max-screenshots",
                    maxScreenshots,
                    "at least 1 or null");
            Rule.require(
                    maxVisualTokens == null || maxVisualTokens > 0,
                    "max-visual-tokens",
                    maxVisualTokens,
                    "at least 1 or null");
        }

        /** Returns the images by their number among the sample's screenshots. */
        private SortedMap<Integer, ChatPart> of(Sample sample, ImageFolder images) {
            List<ImageFile> all = images.imagesOf(sample).toList();
            int first = maxScreenshots == null ? 0 : Math.max(0, all.size() - maxScreenshots);
            SortedMap<Integer, ChatPart> shown = new TreeMap<>();
            for (int i = first; i < all.size(); i++) {
                shown.put(i + 1, new ChatPart.Image(new SentImage(all.get(i), maxVisualTokens)));
            }
            return shown;
        }
    }

    /**
     * A judge on a server: {@code configs/judge-llm.yaml}.
     *
     * @param server connection settings; they change no verdict
     * @param judge settings that determine verdicts; after a change all requests are sent again
     * @param price of its tokens, or null
     */
    @Defaults(
            value = "/configs/judge-llm.yaml",
            except = {"server.urls", "judge.model"})
    public record Config(ServerSettings server, Settings judge, RemoteUsage.@Nullable TokenPrice price) {}

    /**
     * A judge in this process: {@code configs/judge-local.yaml}.
     *
     * @param model Hugging Face directory of the model, with tokenizer.json
     * @param maxNew maximum number of tokens of an answer
     * @param batchSize prompts decoded together
     * @param dtype of the computation
     * @param language of its prompts; null for the language of each record
     */
    @Defaults(value = "/configs/judge-local.yaml", except = "model")
    public record LocalConfig(Path model, int maxNew, int batchSize, Precision dtype, @Nullable Language language) {
        public LocalConfig {
            Rule.require(maxNew >= 1, "max-new", maxNew, "at least 1");
            Rule.require(batchSize >= 1, "batch-size", batchSize, "at least 1");
        }

        SamplingSettings sampling() {
            return new SamplingSettings(0, 1, maxNew, null, JsonNodeFactory.instance.objectNode());
        }
    }

    /** The model's name, and a hash over rubric and settings. */
    @Override
    public String id() {
        String seen = (settings.screenshots() == null ? "" : "\n" + settings.screenshots())
                + (settings.language() == null ? "" : "\n" + settings.language());
        return model.id(
                "llm", JudgePrompt.VERSION + "\n" + settings.sampling() + "\n" + settings.structuredOutput() + seen);
    }

    /**
     * {@inheritDoc} Equal calls need no request.
     *
     * @throws dev.prpf.base.error.PrpfException as {@link ChatModel#ask}; the journal keeps earlier answers
     */
    @Override
    public List<Verdict> judge(List<Case> cases) {
        Verdict[] verdicts = new Verdict[cases.size()];
        Map<Integer, ChatRequest> open = new TreeMap<>();
        for (int i = 0; i < verdicts.length; i++) {
            if (Objects.equals(ExactJudge.judge(cases.get(i)).equivalent(), true)) {
                verdicts[i] = new Verdict(true, EQUAL);
            } else {
                open.put(i, request(cases.get(i), turns(cases.get(i))));
            }
        }
        Map<Integer, ChatRequest> again = new TreeMap<>();
        ask(open).forEach((i, outcome) -> {
            Reading reading = read(outcome);
            if (reading instanceof Reading.Junk junk && outcome instanceof ChatOutcome.Answer answer) {
                List<ChatRequest.Turn> turns = prompt(cases.get(i))
                        .repair(Objects.requireNonNull(open.get(i)).turns(), answer.text(), junk.why());
                again.put(i, request(cases.get(i), turns));
            } else {
                verdicts[i] = verdict(reading);
            }
        });
        ask(again).forEach((i, outcome) -> verdicts[i] = verdict(read(outcome)));
        return List.of(verdicts);
    }

    private List<ChatRequest.Turn> turns(Case one) {
        ShownScreenshots seen = settings.screenshots();
        return prompt(one).turns(one, seen == null ? Collections.emptySortedMap() : seen.of(one.sample(), images));
    }

    private JudgePrompt prompt(Case one) {
        return JudgePrompt.of(settings.language(), one);
    }

    private ChatRequest request(Case one, List<ChatRequest.Turn> turns) {
        return new ChatRequest(
                one.sample().id(),
                turns,
                settings.sampling(),
                settings.structuredOutput().format("verdict", LlmJudge::schema));
    }

    private Map<Integer, ChatOutcome> ask(Map<Integer, ChatRequest> requests) {
        Map<Integer, ChatOutcome> outcomes = new TreeMap<>();
        if (!requests.isEmpty()) {
            try (Progress progress = Progress.start("judge", requests.size())) {
                List<ChatOutcome> answers = journal.ask(model, List.copyOf(requests.values()), progress::step);
                List<Integer> keys = new ArrayList<>(requests.keySet());
                for (int k = 0; k < answers.size(); k++) {
                    outcomes.put(keys.get(k), answers.get(k));
                }
            }
        }
        return outcomes;
    }

    private Reading read(ChatOutcome outcome) {
        if (outcome instanceof ChatOutcome.NoAnswer refusal) {
            return new Reading.Junk(refusal.reason());
        }
        ChatOutcome.Answer answer = (ChatOutcome.Answer) outcome;
        Reading reading = VerdictReader.read(answer.text(), answer.isCut());
        return reading instanceof Reading.Junk junk && answer.isCut()
                ? new Reading.Junk("max-tokens = " + settings.sampling().maxTokens() + " cut it off, " + junk.why())
                : reading;
    }

    private static Verdict verdict(Reading reading) {
        return reading instanceof Reading.Read read
                ? read.verdict()
                : Verdict.abstention("no verdict: " + ((Reading.Junk) reading).why());
    }

    /** Returns the verdict's schema, the reason first. */
    private static ObjectNode schema() {
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        schema.putObject("properties")
                .<ObjectNode>set("reason", JsonNodeFactory.instance.objectNode().put("type", "string"))
                .putObject("equivalent")
                .putArray("type")
                .add("boolean")
                .add("null");
        schema.putArray("required").add("reason").add("equivalent");
        return schema.put("additionalProperties", false);
    }

    @Override
    public RemoteUsage usage() {
        return journal.usage(price);
    }

    @Override
    public void close() {
        model.close();
        journal.close();
    }
}
