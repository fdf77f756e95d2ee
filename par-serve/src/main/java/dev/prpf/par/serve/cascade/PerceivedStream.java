package dev.prpf.par.serve.cascade;

import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.perceive.StreamingPerceiver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Scores a session's samples incrementally. Adds a new step to the network's state; encodes the session again if its readable part changed.
 * The state changes only in turns at the perceiver.
 */
final class PerceivedStream {
    private final PerceiverService service;
    private final @Nullable StreamingPerceiver template;
    private @Nullable StreamingPerceiver stream;
    private final List<TraceStep> fed = new ArrayList<>();

    /** @param template template of all streams, or null where every sample is scored whole */
    PerceivedStream(PerceiverService service, @Nullable StreamingPerceiver template) {
        this.service = service;
        this.template = template;
    }

    /**
     * Scores a session's sample, to within 1e-5 of {@link PerceiverService#perceive}.
     *
     * @param forgotten steps that the session has dropped; the network may have seen them within its window
     */
    Perception perceive(Client client, Sample admitted, List<TraceStep> forgotten) {
        StreamingPerceiver origin = template;
        if (origin == null) {
            return service.perceive(client, admitted).perception();
        }
        Sample moment = PerceiverService.readable(admitted);
        Client limited = service.limited(client);
        service.encodeAhead(limited, unseen(moment));
        return service.perceiving(limited, () -> {
            fed.removeIf(step -> forgotten.stream().anyMatch(gone -> gone == step));
            return perceive(origin, moment);
        });
    }

    /** Returns the sample without the steps that the network has processed; call between two turns. */
    private Sample unseen(Sample moment) {
        if (stream == null) {
            return moment; // after a failure all steps are processed again
        }
        List<TraceStep> fresh = moment.trajectory().steps().stream()
                .filter(step -> fed.stream().noneMatch(known -> known == step))
                .toList();
        return moment.with(moment.context(), new Trajectory(fresh), moment.answers());
    }

    private Perception perceive(StreamingPerceiver origin, Sample moment) {
        List<TraceStep> steps = moment.trajectory().steps();
        StreamingPerceiver known = stream;
        boolean grown =
                steps.size() > fed.size() && steps.subList(0, fed.size()).equals(fed);
        if (known == null || !(grown || steps.equals(fed))) {
            known = origin.newSession();
            fed.clear();
        }
        stream = null; // until the step succeeds
        known.context(moment.context());
        Perception last = steps.equals(fed) ? known.perceive() : null; // else a step is added
        for (TraceStep step : List.copyOf(steps.subList(fed.size(), steps.size()))) {
            last = known.step(step);
            fed.add(step);
        }
        stream = known;
        if (last == null) {
            throw new IllegalStateException("a moment without a step");
        }
        return last;
    }
}
