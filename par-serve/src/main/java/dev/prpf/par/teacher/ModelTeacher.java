package dev.prpf.par.teacher;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.data.Modality;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.openai.ChatOutcome;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatTurn;
import dev.prpf.par.openai.JournaledClient;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.prompt.PromptSettings;
import dev.prpf.par.prompt.ScreenTexts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A model on a server that speaks the OpenAI protocol writes the reasoning (PRPF A.3). Every answer is in the journal before anything is made
 * of it, so what was asked once is not asked again. A server that does not answer is an exception and the end, never a dropped lesson.
 */
public final class ModelTeacher implements Teacher {
    private static final Logger LOG = LoggerFactory.getLogger(ModelTeacher.class);
    private static final int HASH_SHOWN = 12;
    private static final int TOGETHER = 256;

    private final TeacherSettings settings;
    private final JournaledClient client;
    private final LessonPrompts prompts;

    /**
     * Client and journal are closed with the teacher.
     *
     * @param screens reads the pictures: the server gets their texts
     */
    public ModelTeacher(
            TeacherSettings settings,
            ChatClient client,
            AnswerJournal journal,
            ScenarioCatalog catalog,
            ScreenTexts screens) {
        this.settings = settings;
        this.client = new JournaledClient(client, journal, settings.model());
        prompts = new LessonPrompts(new PromptRenderer(PromptSettings.paper(), catalog, screens));
    }

    /** The model's name, and a hash over all that decides its texts. */
    @Override
    public String id() {
        String all = LessonPrompts.VERSION + "\n" + StrictYaml.write(settings);
        return "model:" + settings.model() + ":"
                + AtomicFiles.sha256(all.getBytes(StandardCharsets.UTF_8)).substring(0, HASH_SHOWN);
    }

    /**
     * {@inheritDoc}
     *
     * @throws dev.prpf.base.error.PrpfException as {@link ChatClient#ask}; what was answered before is in the journal
     */
    @Override
    public List<Taught> teach(List<Lesson> lessons) {
        List<Taught> taught = new ArrayList<>();
        for (int from = 0; from < lessons.size(); from += TOGETHER) {
            taught.addAll(teachTogether(lessons.subList(from, Math.min(lessons.size(), from + TOGETHER))));
        }
        return taught;
    }

    private List<Taught> teachTogether(List<Lesson> lessons) {
        Map<Integer, Taught> taught = new LinkedHashMap<>();
        Map<Integer, String> summaries = summaries(lessons, taught);
        List<Integer> open = new ArrayList<>();
        List<JournaledClient.Question> questions = new ArrayList<>();
        for (int i = 0; i < lessons.size(); i++) {
            if (!taught.containsKey(i)) {
                open.add(i);
                questions.add(question(lessons.get(i), prompts.reasoning(lessons.get(i), summaries.get(i))));
            }
        }
        List<ChatOutcome> outcomes = client.ask(questions);
        for (int k = 0; k < open.size(); k++) {
            int i = open.get(k);
            taught.put(i, read(outcomes.get(k), lessons.get(i), summaries.get(i)));
        }
        List<Taught> ordered = new ArrayList<>();
        for (int i = 0; i < lessons.size(); i++) {
            ordered.add(told(lessons.get(i), Objects.requireNonNull(taught.get(i))));
        }
        return ordered;
    }

    /** Of the lessons with screens; those without one are dropped already. */
    private Map<Integer, String> summaries(List<Lesson> lessons, Map<Integer, Taught> dropped) {
        List<Integer> seen = new ArrayList<>();
        List<JournaledClient.Question> questions = new ArrayList<>();
        for (int i = 0; i < lessons.size(); i++) {
            if (lessons.get(i).sample().modality() == Modality.MULTIMODAL) {
                seen.add(i);
                questions.add(question(lessons.get(i), prompts.summary(lessons.get(i))));
            }
        }
        Map<Integer, String> summaries = new LinkedHashMap<>();
        List<ChatOutcome> outcomes = client.ask(questions);
        for (int k = 0; k < outcomes.size(); k++) {
            if (outcomes.get(k) instanceof ChatOutcome.TooLong tooLong) {
                dropped.put(seen.get(k), tooLong(tooLong));
                continue;
            }
            ChatOutcome.Answer answer = (ChatOutcome.Answer) outcomes.get(k);
            String summary = answer.isCut() ? null : LessonReader.summary(answer.text());
            if (summary == null) {
                dropped.put(seen.get(k), new Taught.Dropped(Taught.Fault.UNREADABLE, noSummary(answer)));
            } else {
                summaries.put(seen.get(k), summary);
            }
        }
        return summaries;
    }

    private String noSummary(ChatOutcome.Answer answer) {
        return answer.isCut()
                ? "max-tokens = " + settings.sampling().maxTokens() + " cut its summary off"
                : "its summary is empty";
    }

    private JournaledClient.Question question(Lesson lesson, List<ChatTurn> turns) {
        String id = lesson.sample().id();
        return new JournaledClient.Question(id, new ChatRequest("sample " + id, turns, settings.sampling(), null));
    }

    private static Taught read(ChatOutcome outcome, Lesson lesson, @Nullable String summary) {
        return outcome instanceof ChatOutcome.Answer answer
                ? LessonReader.read(answer.text(), lesson, summary)
                : tooLong((ChatOutcome.TooLong) outcome);
    }

    private static Taught tooLong(ChatOutcome.TooLong tooLong) {
        return new Taught.Dropped(Taught.Fault.TOO_LONG, tooLong.why());
    }

    private static Taught told(Lesson lesson, Taught taught) {
        if (taught instanceof Taught.Dropped dropped) {
            LOG.warn("sample {}: its lesson is dropped: {}", lesson.sample().id(), dropped.why());
        }
        return taught;
    }

    @Override
    public void close() {
        client.close();
    }
}
