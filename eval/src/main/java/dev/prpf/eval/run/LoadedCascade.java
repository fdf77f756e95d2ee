package dev.prpf.eval.run;

import dev.prpf.base.error.UsageException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.mpp.MppModel;
import dev.prpf.mpp.MppPerceiver;
import dev.prpf.mpp.Perceiver;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.CascadeSettings;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.cascade.RemoteSettings;
import dev.prpf.par.constraint.ConstraintSettings;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.prompt.ScreenTexts;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Perceiver, reasoner and encoders of one cascade, loaded from files and closed together. */
public final class LoadedCascade implements AutoCloseable {
    private static final int ENCODER_THREADS = 2;

    private final Cascade cascade;
    private final @Nullable Perceiver perceiver;
    private final Reasoner reasoner;
    private final @Nullable SampleEncoder screens;

    private LoadedCascade(
            Cascade cascade, @Nullable Perceiver perceiver, Reasoner reasoner, @Nullable SampleEncoder screens) {
        this.cascade = cascade;
        this.perceiver = perceiver;
        this.reasoner = reasoner;
        this.screens = screens;
    }

    /**
     * Where the parts lie.
     *
     * @param mpp the perceiver's run, or null where neither gate nor compression is on
     * @param reasoner where the reasoner is
     * @param store encodings and screen texts
     * @param images root of the samples' picture paths, or null where there are none
     */
    public record Places(@Nullable Path mpp, ReasonerPlace reasoner, Path store, @Nullable Path images) {}

    /** Loads the parts that the settings need. */
    public static LoadedCascade open(Places places, FunctionPool pool, ScenarioCatalog catalog, RunSettings settings) {
        if (settings.compress() && settings.topK() > catalog.size()) {
            throw new UsageException("--top-k = " + settings.topK() + ", the catalogue has " + catalog.size()
                    + " scenarios: a shortlist has at most as many");
        }
        CascadeSettings cascade = cascade(settings);
        SampleEncoder encoder = SampleEncoder.open(encoderSettings(places, cascade));
        ScreenTexts texts = places.images() == null ? ScreenTexts.none() : encoder::screenText;
        Reasoner reasoner = null;
        try {
            reasoner = reasoner(places.reasoner(), catalog, texts, settings);
            Perceiver perceiver = cascade.perceives() ? perceiver(places, encoder, catalog) : null;
            return new LoadedCascade(
                    new Cascade(perceiver, reasoner, pool, catalog, cascade),
                    perceiver,
                    reasoner,
                    perceiver == null ? encoder : null);
        } catch (RuntimeException e) {
            if (reasoner != null) {
                reasoner.close();
            }
            encoder.close();
            throw e;
        }
    }

    private static CascadeSettings cascade(RunSettings settings) {
        return new CascadeSettings(settings.gate(), settings.compress(), settings.topK(), settings.threshold());
    }

    private static Reasoner reasoner(
            ReasonerPlace place, ScenarioCatalog catalog, ScreenTexts texts, RunSettings settings) {
        if (place instanceof ReasonerPlace.Remote remote) {
            RemoteSettings asked = remote.config().reasoner();
            ChatClient client =
                    new ChatClient(remote.config().server(), asked.model(), System.getenv(), remote.stopped());
            return new RemoteReasoner(asked, client, remote.journal(), catalog, texts);
        }
        RunSettings.Local local = Objects.requireNonNull(settings.local(), "settings of another reasoner");
        return LocalReasoner.open(
                ((ReasonerPlace.Local) place).model(),
                catalog,
                texts,
                new LocalReasoner.Settings(
                        local.maxNew(),
                        local.batchSize(),
                        local.dtype(),
                        local.constrained() ? ConstraintSettings.DEFAULT : null));
    }

    private static Perceiver perceiver(Places places, SampleEncoder encoder, ScenarioCatalog catalog) {
        return new MppPerceiver(MppModel.load(run(places)), encoder, catalog);
    }

    /** The encoders the perceiver was trained with; without one only screen texts are read. */
    private static EncoderSettings encoderSettings(Places places, CascadeSettings cascade) {
        if (cascade.perceives()) {
            return PerceiverRun.config(run(places)).encoder().settings(places.store(), places.images());
        }
        return new EncoderSettings(
                dev.prpf.data.encode.spec.Precision.INT8,
                LongText.MEAN_OF_WINDOWS,
                ENCODER_THREADS,
                places.store(),
                places.images());
    }

    /**
     * Makes sure, before anything is loaded, that the pictures of every sample of a file are there, where the cascade looks at them.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the sample and the first of its pictures that is missing; 2 if there is no root
     */
    public static void requirePictures(Path data, Places places, RunSettings settings) {
        CascadeSettings cascade = cascade(settings);
        if (cascade.perceives() || places.images() != null) {
            encoderSettings(places, cascade).requirePictures(data);
        }
    }

    /** What a run's facts hold of the pictures that the samples of a file name, where the cascade looks at them. */
    public static Map<String, String> pictureFacts(Path data, Places places, RunSettings settings) {
        return places.images() == null
                ? Map.of()
                : encoderSettings(places, cascade(settings)).pictureFacts("pictures_sha256", data);
    }

    private static Path run(Places places) {
        if (places.mpp() == null) {
            throw new UsageException(
                    "gate and compression need a perceiver: name its run with --mpp, or set --gate off --compress off");
        }
        return places.mpp();
    }

    public Cascade cascade() {
        return cascade;
    }

    /** The perceiver's id, or "none". */
    public String perceiverId() {
        return perceiver == null ? "none" : perceiver.id();
    }

    public String reasonerId() {
        return reasoner.id();
    }

    @Override
    public void close() {
        reasoner.close();
        if (perceiver != null) {
            perceiver.close();
        }
        if (screens != null) {
            screens.close();
        }
    }
}
