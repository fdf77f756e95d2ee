package dev.prpf.par.sets;

import dev.prpf.data.Frame;
import dev.prpf.data.Sample;
import dev.prpf.data.ScreenTrajectory;
import dev.prpf.par.prompt.PromptRenderer;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.ReasoningMode;
import dev.prpf.par.teacher.RationaleRequest;
import dev.prpf.par.teacher.RationaleResult;
import dev.prpf.par.teacher.Teacher;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes records of drafts; a teacher writes what reasoning they need, all requests in one go. */
final class TaughtRecords {
    private final PromptRenderer renderer;
    private final Teacher teacher;
    private final String wording;
    private @Nullable RationaleCounts counts;

    TaughtRecords(PromptRenderer renderer, Teacher teacher) {
        this.renderer = renderer;
        this.teacher = teacher;
        wording = SftRecord.wordingOf(renderer.settings());
    }

    /** In the drafts' order, without those that the teacher dropped. */
    List<SftRecord> of(List<SftPairs.Draft> drafts) {
        List<RationaleRequest> requests = drafts.stream()
                .map(SftPairs.Draft::request)
                .filter(Objects::nonNull)
                .toList();
        List<RationaleResult> results = teacher.write(requests);
        if (renderer.settings().reasoning() != ReasoningMode.NONE) {
            counts = RationaleCounts.of(teacher.id(), results);
        }
        Iterator<RationaleResult> next = results.iterator();
        List<SftRecord> records = new ArrayList<>();
        for (SftPairs.Draft draft : drafts) {
            if (draft.request() == null) {
                records.add(record(draft, draft.plain(), null));
            } else if (next.next() instanceof RationaleResult.Written written) {
                records.add(record(draft, written.response(), teacher.id()));
            }
        }
        return records;
    }

    /** What came of the requests; null where responses have no reasoning. */
    @Nullable
    RationaleCounts counts() {
        return counts;
    }

    /** For a message on what is missing. */
    String droppedToo() {
        return counts == null || counts.allDropped() == 0
                ? ""
                : ", and " + counts.allDropped() + " rationales of " + teacher.id() + " were dropped: "
                        + counts.dropped();
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
