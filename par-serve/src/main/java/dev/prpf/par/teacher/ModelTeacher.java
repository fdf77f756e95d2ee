package dev.prpf.par.teacher;

import dev.prpf.base.config.Defaults;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatModel.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.openai.ChatRequest.PromptParts;
import dev.prpf.par.openai.ChatRequest.SamplingSettings;
import dev.prpf.par.openai.RemoteUsage;
import dev.prpf.par.openai.ServerSettings;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.PromptSettings.ScreenshotForm;
import dev.prpf.par.prompt.ScreenTexts;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ResponseWriter;
import dev.prpf.par.teacher.Teacher.RationaleRequest;
import dev.prpf.par.teacher.Teacher.RationaleResult;
import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
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

    /**
     * Prompts for a model's rationale, in the steps of PRPF A.3. Screenshots are first summarised. Context, candidates and answer then give the
     * thinking with its function selection. The wording is ours, in Chinese like the student's prompts.
     *
     * @param renderer of {@link PromptSettings#paper()} with the teacher's form of screenshots: the student's prompt without the predicted scenes
     * @param images folder of the screenshots
     */
    record RationalePrompts(PromptRenderer renderer, ImageFolder images) {
        /** Version of the wording, recorded in sets. */
        static final String VERSION = "1";

        private static final String SUMMARY = "下面按顺序给出用户手机上的画面（%s）和步骤说明。请用一段中文概括：当前页面处于哪个阶段，关键的交互区域有哪些，"
                + "画面之间发生了什么变化；写出可辨认的实体，如应用名、页面标题、联系人、文件名。"
                + "只依据给出的内容，不猜测，不提建议，不使用尖括号。\n\n";
        private static final String TEXTS = "画面上的文字";
        private static final String IMAGES = "截图";
        private static final String BOTH = "截图和画面上的文字";
        private static final String ANSWER = "\n\n以上是交给学生模型的任务。你在为它编写示范。此刻正确的输出已经确定：\n";
        private static final String TASK = "\n请写出能从上文推出这一输出的推理过程，只输出下面两段，不要输出其他内容：\n"
                + "<thinking>用户正在做什么，意图是什么，为什么此刻需要推荐"
                + "<function_selection>依次写：候选函数的分析，哪些函数匹配、哪些不匹配，最终选择的函数，每个参数值以及它出自上文何处"
                + "</function_selection></thinking>\n"
                + "<recommendations>原样照抄上面给出的输出</recommendations>\n"
                + "要求：每个选中的函数名和每个参数值都要在推理中原样出现；只依据上文，上文没有的出处不要编造；"
                + "像独立思考一样书写，不要提到输出是事先给定的。";

        List<ChatRequest.Turn> summary(RationaleRequest request) {
            Sample sample = request.sample();
            List<OfflineTeacher.Passages.Passage> passages = OfflineTeacher.Passages.of(
                            sample, form().worded() ? renderer.screens() : unread -> "")
                    .trajectory();
            Iterator<ImageFile> files =
                    form().showsImages() ? images.imagesOf(sample).iterator() : Collections.emptyIterator();
            List<ChatPart> parts = new ArrayList<>();
            parts.add(new ChatPart.Text(SUMMARY.formatted(screensAre())));
            for (int i = 0; i < passages.size(); i++) {
                boolean showsImages =
                        form().showsImages() && sample.trajectory().steps().get(i) instanceof TraceStep.Screenshot;
                parts.add(
                        new ChatPart.Text((i == 0 ? "" : "\n") + passages.get(i).place() + "："));
                if (showsImages) {
                    parts.add(sent().image(files.next()));
                }
                parts.add(new ChatPart.Text(safe(passages.get(i).text())));
            }
            return turns(parts);
        }

        private ScreenshotForm form() {
            return renderer.settings().screenshots();
        }

        private String screensAre() {
            return switch (form()) {
                case OCR -> TEXTS;
                case PIXELS -> IMAGES;
                case BOTH -> BOTH;
            };
        }

        private PromptParts sent() {
            return new PromptParts(images, renderer.settings().maxVisualTokens());
        }

        /** Returns the prompt for thinking and function selection; {@code summary} is null for a text sample. */
        List<ChatRequest.Turn> reasoning(RationaleRequest request, @Nullable String summary) {
            String answer = ResponseWriter.write(new ParResponse.Parsed(null, null, null, List.of(request.answer())));
            String seen = summary == null ? "" : "\n\n画面概括（ui_summary 已经写好，不必再写）：" + safe(summary);
            List<Piece> user = renderer.user(request.sample(), null, request.candidates());
            List<ChatPart> parts = new ArrayList<>(sent().of(user, request.sample()));
            parts.add(new ChatPart.Text(seen + ANSWER + safe(answer) + TASK));
            return turns(parts);
        }

        private List<ChatRequest.Turn> turns(List<ChatPart> user) {
            return ChatRequest.Turn.prompt(renderer.system(), user);
        }

        /** Breaks control tokens, which the server would parse in text. */
        private static String safe(String text) {
            return Piece.plain(text).forOthers();
        }
    }
}
