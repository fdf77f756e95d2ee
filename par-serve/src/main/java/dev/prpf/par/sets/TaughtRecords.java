package dev.prpf.par.sets;

import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.teacher.Lesson;
import dev.prpf.par.teacher.Taught;
import dev.prpf.par.teacher.Teacher;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes records of drafts; a teacher writes what reasoning they need, all lessons in one go. */
final class TaughtRecords {
    private final PromptRenderer renderer;
    private final Teacher teacher;
    private final String wording;
    private @Nullable TeachingCounts counts;

    TaughtRecords(PromptRenderer renderer, Teacher teacher) {
        this.renderer = renderer;
        this.teacher = teacher;
        wording = SftRecord.wordingOf(renderer.settings());
    }

    /** In the drafts' order, without those that the teacher dropped. */
    List<SftRecord> of(List<SftPairs.Draft> drafts) {
        List<Lesson> lessons = drafts.stream()
                .map(SftPairs.Draft::lesson)
                .filter(Objects::nonNull)
                .toList();
        List<Taught> taught = teacher.teach(lessons);
        if (renderer.settings().reasoning() != ReasoningMode.NONE) {
            counts = TeachingCounts.of(teacher.id(), taught);
        }
        Iterator<Taught> next = taught.iterator();
        List<SftRecord> records = new ArrayList<>();
        for (SftPairs.Draft draft : drafts) {
            if (draft.lesson() == null) {
                records.add(record(draft, draft.plain(), null));
            } else if (next.next() instanceof Taught.Written written) {
                records.add(record(draft, written.response(), teacher.id()));
            }
        }
        return records;
    }

    /** What came of the lessons; null where responses have no reasoning. */
    @Nullable
    TeachingCounts counts() {
        return counts;
    }

    /** For a message on what is missing. */
    String droppedToo() {
        return counts == null || counts.allDropped() == 0
                ? ""
                : ", and " + counts.allDropped() + " lessons of " + teacher.id() + " were dropped: " + counts.dropped();
    }

    private SftRecord record(SftPairs.Draft draft, ParResponse.Parsed response, @Nullable String author) {
        SftPairs.Pair pair = draft.pair(response);
        Sample sample = draft.sample();
        return new SftRecord(
                sample.id(),
                draft.target() != null,
                sample.modality().name().toLowerCase(Locale.ROOT),
                renderer.settings(),
                wording,
                author,
                draft.functions(),
                renderer.system(),
                pair.user(),
                pair.response(),
                images(sample));
    }

    private static List<String> images(Sample sample) {
        List<String> images = new ArrayList<>();
        if (sample.trajectory() instanceof ScreenTrajectory screens) {
            screens.frames().forEach(frame -> {
                if (frame instanceof Frame.Screenshot picture) {
                    images.add(picture.picture());
                }
            });
        }
        return images;
    }
}
