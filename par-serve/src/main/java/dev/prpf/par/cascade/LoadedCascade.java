package dev.prpf.par.cascade;

import dev.prpf.base.error.Closing;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.SampleEncoders;
import dev.prpf.data.encode.store.EmbeddingStore.StorePlace;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.training.MppRun;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.par.device.PeakMemory;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.prompt.ScreenTexts;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A cascade loaded from files, with the encoders of its perceiver and of screen texts, closed together.
 *
 * @param encoders the perceiver's encoders; the first also reads screen texts
 * @param reasonerBytes memory that loading the reasoner added to the process; null if unknown
 * @param reasonerOnCard bytes that loading the reasoner reserved there; null if unknown
 */
public record LoadedCascade(
        Cascade cascade,
        SampleEncoders encoders,
        @Nullable Long reasonerBytes,
        PeakMemory card,
        @Nullable Long reasonerOnCard)
        implements AutoCloseable {
    /** Opens a run's reasoner, in this process or on a server. */
    public interface ReasonerSource {
        Reasoner open(ScenarioCatalog catalog, ScreenTexts texts);
    }

    /** Opens a language model as perceiver. */
    public interface PerceiverSource {
        Perceiver open(FunctionPool pool, ScenarioCatalog catalog, ScreenTexts texts);
    }

    /**
     * Paths of the cascade's parts.
     *
     * @param mpp the trained perceiver's run, or null if neither gate nor compression is on
     * @param languageModel opens a language model as perceiver instead, or null
     * @param reasoner opens the reasoner
     * @param store folder of encodings and screen texts; null for in memory only
     * @param images root of the samples' image paths, or null without images
     */
    public record Places(
            @Nullable Path mpp,
            @Nullable PerceiverSource languageModel,
            ReasonerSource reasoner,
            @Nullable Path store,
            @Nullable Path images) {
        /** Bytes in memory for the outputs of each frozen encoder. */
        private static final long MEMORY = 64L << 20;

        private TrainedRun run() {
            if (mpp == null) {
                throw new UsageException(
                        "gate and compression need a perceiver: name its run with --gate, or a language"
                                + " model with --perceiver-model, or set --gating off --compress off");
            }
            return MppRun.trained(mpp);
        }

        private Perceiver perceiver(
                SampleEncoders encoders, FunctionPool pool, ScenarioCatalog catalog, ScreenTexts texts) {
            return languageModel == null
                    ? run().perceiver(encoders, catalog)
                    : languageModel.open(pool, catalog, texts);
        }

        /** Returns the encoders of the trained perceiver; without one, an encoder for screen texts only. */
        public EncoderSettings encoders(Cascade.Settings settings) {
            Path folder = store == null ? Path.of("") : store;
            return settings.perceives() && languageModel == null
                    ? run().encoder(folder, images)
                    : EncoderSettings.untrained(folder, images);
        }

        private SampleEncoder encoder(EncoderSettings wanted) {
            return store == null
                    ? SampleEncoder.openInMemory(wanted, new StorePlace.Memory(MEMORY))
                    : SampleEncoder.open(wanted);
        }
    }

    /**
     * Loads a cascade's folder with its functions, scenarios, threshold and settings of responses.
     *
     * @param source opens the reasoner; see {@link #reasonerOf}
     * @param store folder of encodings and screen texts; null for in memory only
     * @param images root of the samples' image paths, or null without images
     */
    public static LoadedCascade open(
            CascadeFolder folder, ReasonerSource source, @Nullable Path store, @Nullable Path images) {
        CascadeFolder.Manifest manifest = folder.manifest();
        return open(
                new Places(folder.gate(), null, source, store, images),
                FunctionPoolFile.read(folder.catalog().functions()),
                ScenarioCatalogReader.read(folder.catalog().scenarios()),
                new Cascade.Settings(true, true, manifest.answering().shortlist(), manifest.threshold()));
    }

    /** Returns a source of the folder's own reasoner, for one prompt at a time. */
    public static ReasonerSource reasonerOf(CascadeFolder folder) {
        CascadeFolder.Answering answering = folder.manifest().answering();
        LocalReasoner.Settings settings = new LocalReasoner.Settings(
                answering.maxNewTokens(), 1, Precision.usual(), answering.constrained(), null);
        return (catalog, texts) -> LocalReasoner.open(folder.reasoner(), catalog, texts, settings);
    }

    /** Loads the parts that the settings need; if one fails, closes those loaded before. */
    public static LoadedCascade open(
            Places places, FunctionPool pool, ScenarioCatalog catalog, Cascade.Settings settings) {
        return Closing.ifRefused(new SampleEncoders(places.encoders(settings), places::encoder), encoders -> {
            encoders.countEarly();
            if (places.images() != null) {
                encoders.first(); // opened before memory is measured
            }
            ScreenTexts texts = places.images() == null ? ScreenTexts.none() : ScreenTexts.of(encoders);
            Long before = ProcessMemory.residentBytes();
            return Closing.ifRefused(places.reasoner().open(catalog, texts), reasoner -> {
                Long after = ProcessMemory.residentBytes();
                Long reasonerBytes = before == null || after == null ? null : Math.max(0, after - before);
                PeakMemory card = card(reasoner);
                Long reasonerOnCard = card.bytes();
                Perceiver perceiver = settings.perceives() ? places.perceiver(encoders, pool, catalog, texts) : null;
                Cascade cascade = new Cascade(perceiver, reasoner, pool, catalog, settings);
                return new LoadedCascade(cascade, encoders, reasonerBytes, card, reasonerOnCard);
            });
        });
    }

    private static PeakMemory card(Reasoner reasoner) {
        return reasoner instanceof LocalReasoner // else libtorch stays unloaded
                ? TorchRuntime.cardMemory()
                : PeakMemory.unavailable("the reasoner runs on a server, which reports no memory");
    }

    /** Returns the perceiver's id, or "none". */
    public String perceiverId() {
        return cascade.perceiver() == null ? "none" : cascade.perceiver().id();
    }

    @Override
    public void close() {
        try {
            cascade.reasoner().close();
        } finally {
            try {
                if (cascade.perceiver() != null) {
                    cascade.perceiver().close();
                }
            } finally {
                encoders.close();
            }
        }
    }
}
