package dev.prpf.eval.run;

import dev.prpf.base.error.UsageException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.encode.EncoderSettings;
import dev.prpf.data.encode.SampleEncoder;
import dev.prpf.data.encode.spec.LongText;
import dev.prpf.data.encode.spec.Precision;
import dev.prpf.mpp.Perceiver;
import dev.prpf.mpp.run.MppRun;
import dev.prpf.par.cascade.Cascade;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.Reasoner;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.openai.AnswerJournal;
import dev.prpf.par.openai.ChatClient;
import dev.prpf.par.prompt.ScreenTexts;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Perceiver, reasoner and encoders of one cascade, loaded from files and closed together.
 *
 * @param perceiver null where neither gate nor compression is on
 * @param encoder the perceiver's too
 */
public record LoadedCascade(Cascade cascade, @Nullable Perceiver perceiver, Reasoner reasoner, SampleEncoder encoder)
        implements AutoCloseable {
    private static final int ENCODER_THREADS = 2;

    /**
     * Where the parts lie.
     *
     * @param mpp the perceiver's run, or null where neither gate nor compression is on
     * @param reasoner where the reasoner is
     * @param store encodings and screen texts
     * @param images root of the samples' image paths, or null where there are none
     */
    public record Places(@Nullable Path mpp, ReasonerPlace reasoner, Path store, @Nullable Path images) {
        private Path run() {
            if (mpp == null) {
                throw new UsageException("gate and compression need a perceiver: name its run with --mpp, or set --gate"
                        + " off --compress off");
            }
            return mpp;
        }
    }

    /** Where a run's reasoner is. */
    public sealed interface ReasonerPlace {
        /**
         * In this process.
         *
         * @param model its directory
         */
        record Local(Path model) implements ReasonerPlace {}

        /**
         * On a server.
         *
         * @param config how it is reached and the settings of requests
         * @param journal where its answers are kept
         * @param stopped whether the run was told to end
         */
        record Remote(RemoteReasoner.Config config, AnswerJournal journal, BooleanSupplier stopped)
                implements ReasonerPlace {}
    }

    /** Loads the parts that the settings need; where one is refused, those loaded before it are closed. */
    public static LoadedCascade open(Places places, FunctionPool pool, ScenarioCatalog catalog, RunSettings settings) {
        if (settings.compress() && settings.topK() > catalog.size()) {
            throw new UsageException("--top-k = " + settings.topK() + ", the catalogue has " + catalog.size()
                    + " scenarios: a shortlist has at most as many");
        }
        return closingIfRefused(SampleEncoder.open(encoderSettings(places, settings)), encoder -> {
            ScreenTexts texts = places.images() == null ? ScreenTexts.none() : encoder::screenText;
            return closingIfRefused(reasoner(places.reasoner(), catalog, texts, settings), reasoner -> {
                Perceiver perceiver =
                        settings.cascade().perceives() ? new MppRun(places.run()).perceiver(encoder, catalog) : null;
                Cascade cascade = new Cascade(perceiver, reasoner, pool, catalog, settings.cascade());
                return new LoadedCascade(cascade, perceiver, reasoner, encoder);
            });
        });
    }

    /** What is made of a part; the part is closed if nothing is. */
    static <P extends AutoCloseable, T> T closingIfRefused(P part, Function<P, T> use) {
        try {
            return use.apply(part);
        } catch (RuntimeException refusal) {
            try {
                part.close();
            } catch (Exception second) {
                refusal.addSuppressed(second);
            }
            throw refusal;
        }
    }

    private static Reasoner reasoner(
            ReasonerPlace place, ScenarioCatalog catalog, ScreenTexts texts, RunSettings settings) {
        if (place instanceof ReasonerPlace.Remote remote) {
            RemoteReasoner.Settings queries = remote.config().reasoner();
            return closingIfRefused(
                    new ChatClient(remote.config().server(), queries.model(), System.getenv(), remote.stopped()),
                    client -> new RemoteReasoner(queries, client, remote.journal(), catalog, texts));
        }
        LocalReasoner.Settings local = Objects.requireNonNull(settings.local(), "settings of another reasoner");
        return LocalReasoner.open(((ReasonerPlace.Local) place).model(), catalog, texts, local);
    }

    /** The encoders the perceiver was trained with; without one only screen texts are read. */
    private static EncoderSettings encoderSettings(Places places, RunSettings settings) {
        if (settings.cascade().perceives()) {
            return new MppRun(places.run()).config().encoder().settings(places.store(), places.images());
        }
        return new EncoderSettings(
                Precision.INT8, LongText.MEAN_OF_WINDOWS, ENCODER_THREADS, places.store(), places.images());
    }

    /**
     * Makes sure, before anything is loaded, that the images of every sample of a file are where the cascade looks for them.
     *
     * @throws dev.prpf.base.error.PrpfException 65, naming the sample and the first of its images that is missing; 2 if there is no root
     */
    public static void requireImages(Path data, Places places, RunSettings settings) {
        if (settings.cascade().perceives() || places.images() != null) {
            encoderSettings(places, settings).requireImages(data);
        }
    }

    /** What a run's facts hold of the pictures that the samples of a file name, where the cascade looks at them. */
    public static Map<String, String> imageFacts(Path data, Places places, RunSettings settings) {
        return encoderSettings(places, settings).imageFacts("pictures_sha256", data);
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
        try {
            reasoner.close();
        } finally {
            if (perceiver == null) {
                encoder.close();
            } else {
                perceiver.close(); // and its encoder
            }
        }
    }
}
