package dev.prpf.mpp.perceive;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.EncoderSettings.ContextUnit;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.Perception;
import dev.prpf.mpp.network.host.HostStream;
import dev.prpf.mpp.network.host.ParameterStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A trained perceiver on a phone's stream of context updates and steps (texts or screenshots). Each new content is encoded once, and each
 * step gets a perception. After T steps it equals that of {@link MppPerceiver} on a sample of these T steps, up to rounding. It is one
 * session. The encoder may serve several sessions and is not closed here. Not thread-safe.
 *
 * <p>Before the first context a step throws {@link IllegalStateException} and is ignored.
 */
public final class StreamingPerceiver {
    private final MppModel model;
    private final SampleEncoder encoder;
    private final ParameterStore parameters;
    private final HostStream session;
    private @Nullable DeviceContext context;

    /** @throws dev.prpf.base.error.PrpfException 78 if the encoder or the catalogue differ from those of the training */
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

    /** Returns an empty session of a perceiver; null for an ensemble, which scores each sample whole. */
    public static @Nullable StreamingPerceiver of(@Nullable Perceiver perceiver) {
        return perceiver instanceof MppPerceiver one && one.models().size() == 1
                ? new StreamingPerceiver(one.models().get(0), one.encoder(), one.catalog())
                : null;
    }

    /** Returns an empty session that shares weights and encoder. */
    public StreamingPerceiver newSession() {
        return new StreamingPerceiver(model, encoder, parameters);
    }

    /** Sets the device's context and encodes only the changed texts. If one cannot be encoded, the last context stays. */
    public void context(DeviceContext now) {
        List<String> texts = now.texts();
        List<String> before = context == null ? List.of() : context.texts();
        ContextUnit unit = model.description().shape().contextUnit();
        Map<Integer, float[][]> changed = new LinkedHashMap<>();
        for (int i = 0; i < texts.size(); i++) {
            if (before.isEmpty() || !texts.get(i).equals(before.get(i))) {
                changed.put(i, encoder.encodeContext(texts.get(i), unit));
            }
        }
        changed.forEach(session::context);
        context = now;
    }

    /**
     * Adds a record's step and returns the perception.
     *
     * @throws dev.prpf.base.error.PrpfException 65 if it is an unreadable screenshot; the step is then ignored
     */
    public Perception step(TraceStep step) {
        requireContext();
        session.step(encoder.encodeStep(step), step instanceof TraceStep.Screenshot);
        return perceive();
    }

    /** Returns the current perception, for instance after a context update; {@link IllegalStateException} before the first step. */
    public Perception perceive() {
        return model.perception(session.answer());
    }

    private void requireContext() {
        if (context == null) {
            throw new IllegalStateException(
                    "no context yet, so the step is ignored: set profile, phone and world first");
        }
    }

    /** Number of steps so far. */
    public long steps() {
        return session.steps();
    }
}
