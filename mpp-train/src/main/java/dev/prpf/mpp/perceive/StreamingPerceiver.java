package dev.prpf.mpp.perceive;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.TraceStep;
import dev.prpf.data.encode.ContextUnit;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.network.host.HostStream;
import dev.prpf.mpp.network.host.ParameterStore;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The trained perceiver on a phone's stream: updates of the context and steps (texts or screenshots) come one by one, each new content
 * is encoded once, and each step gets a perception, after T steps that of {@link MppPerceiver} on a sample of these T steps up to
 * rounding. One session; the encoder may serve several and is not closed here. Not for use by two threads at once.
 *
 * <p>Before the first context there is an {@link IllegalStateException} in place of a perception, and the step is not taken.
 */
public final class StreamingPerceiver {
    private final MppModel model;
    private final SampleEncoder encoder;
    private final ParameterStore parameters;
    private final HostStream session;
    private @Nullable DeviceContext context;

    /** @throws dev.prpf.base.error.PrpfException 78 unless encoder and catalogue are those of the training */
    public StreamingPerceiver(MppModel model, SampleEncoder encoder, ScenarioCatalog catalog) {
        this(model, encoder, model.network().parameters());
        model.description().requireSame(encoder, catalog);
    }

    private StreamingPerceiver(MppModel model, SampleEncoder encoder, ParameterStore parameters) {
        this.model = model;
        this.encoder = encoder;
        this.parameters = parameters;
        this.session = new HostStream(parameters);
    }

    /** An empty session over the same weights and encoder. */
    public StreamingPerceiver newSession() {
        return new StreamingPerceiver(model, encoder, parameters);
    }

    /**
     * The device's context from now on; only texts that differ from the last context's are encoded. Where one of them cannot be, the
     * last context stays, whole.
     */
    public void context(DeviceContext now) {
        List<String> texts = now.texts();
        List<String> before = context == null ? List.of() : context.texts();
        ContextUnit unit = model.description().shape().contextUnit();
        Map<Integer, float[][]> changed = new LinkedHashMap<>();
        for (int place = 0; place < texts.size(); place++) {
            if (before.isEmpty() || !texts.get(place).equals(before.get(place))) {
                changed.put(place, encoder.encodeContext(texts.get(place), unit));
            }
        }
        changed.forEach(session::context);
        context = now;
    }

    /** The perception after a new step told in words. */
    public Perception text(String step) {
        return step(new TraceStep.Caption(step));
    }

    /**
     * The perception after a new step as a record has it.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if it is a screenshot that cannot be read; the step is not taken then
     */
    public Perception step(TraceStep step) {
        requireContext();
        session.step(encoder.encodeStep(step), step instanceof TraceStep.Screenshot);
        return perceive();
    }

    /**
     * The perception after a new screenshot, found by its bytes: a file may be overwritten by the next one.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if the image cannot be read
     */
    public Perception screenshot(Path image) {
        requireContext();
        session.step(encoder.encodeImages(List.of(image))[0], true);
        return perceive();
    }

    /** The perception after a context update; {@link IllegalStateException} before the first step. */
    public Perception perceive() {
        return model.perception(session.answer());
    }

    private void requireContext() {
        if (context == null) {
            throw new IllegalStateException(
                    "the context was not given yet, so the step is not taken: profile, phone and world come first");
        }
    }

    /** Steps so far. */
    public long steps() {
        return session.steps();
    }
}
