package dev.prpf.par.cascade;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.command.CascadePart;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidConfigurationException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.JsonFile;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.run.RunDirectory;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.mpp.threshold.TriggerThreshold;
import dev.prpf.mpp.threshold.TriggerThreshold.RiskControl;
import dev.prpf.mpp.training.TrainedRun;
import dev.prpf.par.prompt.PromptProvenance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A trained cascade in one folder: {@code cascade.json}, {@code gate/}, {@code reasoner/}, {@code functions.json}, {@code scenarios.json} and a
 * model card. Only the files that {@code cascade.json} names belong to the cascade; the folder may hold others.
 */
public record CascadeFolder(Path path, Manifest manifest) {
    /** The name of the file that describes the cascade. */
    public static final String FILE = CascadePart.CASCADE;

    private static final int VERSION = 1;

    /**
     * How the cascade answers.
     *
     * @param shortlist number of scenarios that select the reasoner's functions, at most those of the catalogue
     * @param maxNewTokens maximum tokens of a response
     * @param constrained whether responses are constrained to the grammar and to calls of the candidates
     */
    public record Answering(int shortlist, int maxNewTokens, boolean constrained) {
        public Answering {
            Rule.require(shortlist >= 1, "shortlist", shortlist, "at least 1");
            Rule.require(maxNewTokens >= 1, "max_new_tokens", maxNewTokens, "at least 1");
        }
    }

    /**
     * The content of {@code cascade.json}.
     *
     * @param threshold τ: the gate lets a sample pass if its probability is at least this
     * @param chosen how the threshold was chosen, in words
     * @param bound guarantee for the threshold; null without one
     * @param answering settings of the reasoner
     * @param promptHash of the reasoner's prompts
     * @param functionsSha256 of functions.json
     * @param scenariosSha256 of scenarios.json
     * @param files SHA-256 of each file of gate and reasoner, by its path in the folder
     */
    public record Manifest(
            int formatVersion,
            double threshold,
            String chosen,
            @Nullable RiskControl bound,
            Answering answering,
            String promptHash,
            String functionsSha256,
            String scenariosSha256,
            Map<String, String> files) {
        public Manifest {
            files = new TreeMap<>(files);
        }

        private Map<String, String> all() {
            Map<String, String> all = new TreeMap<>(files);
            all.put("functions.json", functionsSha256);
            all.put("scenarios.json", scenariosSha256);
            return all;
        }
    }

    /** Returns whether a folder holds a cascade, intact or not. */
    public static boolean isCascade(Path folder) {
        return Files.isRegularFile(folder.resolve(FILE));
    }

    /** Opens a cascade, reasoner included, as {@link #open(Path, boolean)}. */
    public static CascadeFolder open(Path folder) {
        return open(folder, true);
    }

    /**
     * Opens a cascade and checks its files.
     *
     * @param reasoner false for a cascade without its own reasoner, which may then be missing or changed
     * @throws PrpfException 69 if a file is missing or a training writes the folder. 65 if a file has changed or has no checksum. 78 for another
     *     version of the format
     */
    public static CascadeFolder open(Path folder, boolean reasoner) {
        Path file = folder.resolve(FILE);
        if (!isCascade(folder)) {
            boolean inTraining = Files.isDirectory(folder) && RunDirectory.inUse(folder);
            throw new UnavailableException(folder
                    + (inTraining
                            ? ": is in use by a training, which writes " + FILE
                                    + " at its end; wait for it and open the folder again"
                            : ": holds no cascade (" + FILE + " is missing); make one with `prpf train RECIPE.yaml`"));
        }
        requireVersion(file, JsonFile.object(file).path("format_version"));
        String text = IoFailure.whileReading(file, () -> Files.readString(file));
        CascadeFolder cascade =
                new CascadeFolder(folder, JsonRecords.read(file.toString(), "cascade", text, Manifest.class, "bound"));
        cascade.requireIntact(reasoner);
        return cascade;
    }

    private static void requireVersion(Path file, JsonNode version) {
        if (version.isInt() && version.intValue() != VERSION) {
            throw new InvalidConfigurationException(file + ": format_version = " + version + ", this program reads "
                    + VERSION + "; make it again with `prpf train RECIPE.yaml`, or use the program that made it");
        }
    }

    private void requireIntact(boolean reasoner) {
        Set<String> unnamed = files(path, reasoner ? List.of(gate(), reasoner()) : List.of(gate()));
        unnamed.removeAll(manifest.files.keySet());
        if (!unnamed.isEmpty()) {
            throw new InvalidDataException(path.resolve(FILE) + ": files lacks " + unnamed
                    + ", so nothing tells whether they are the trained ones; copy the whole folder again, remove files that do not"
                    + " belong to it, or train the cascade again");
        }
        manifest.all().forEach((name, sha256) -> {
            if (!reasoner && name.startsWith("reasoner/")) {
                return;
            }
            Path file = path.resolve(name);
            if (!file.toAbsolutePath()
                    .normalize()
                    .startsWith(path.toAbsolutePath().normalize())) {
                throw new InvalidDataException(path.resolve(FILE) + ": files names \"" + name
                        + "\", which is not in the folder; copy the whole folder again, or train the cascade again");
            }
            if (!Files.isRegularFile(file)) {
                throw new UnavailableException(file + ": is missing, " + FILE
                        + " names it; copy the whole folder again, or train the cascade again");
            }
            if (!AtomicFiles.sha256(file).equals(sha256)) {
                throw new InvalidDataException(
                        file + ": has changed since the training (its SHA-256 differs from that in " + FILE
                                + "); copy the whole folder again, or train the cascade again");
            }
        });
    }

    /**
     * Assembles a cascade of a trained gate, with its functions and scenarios, and a reasoner; replaces one that is there. Its files are not read again.
     *
     * @param gate run of the gate, with a threshold
     * @param reasoner model directory
     */
    public static CascadeFolder assemble(Path folder, TrainedRun gate, Path reasoner, Answering answering) {
        try {
            Files.deleteIfExists(folder.resolve(FILE)); // from here on the folder is no cascade
            Manifest manifest = manifest(folder, gate, reasoner, answering);
            AtomicFiles.writeText(
                    folder.resolve(FILE), JsonRecords.tree(manifest).toPrettyString() + "\n");
            return new CascadeFolder(folder, manifest);
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        }
    }

    private static Manifest manifest(Path folder, TrainedRun gate, Path reasoner, Answering answering)
            throws IOException {
        TriggerThreshold threshold = gate.threshold();
        AtomicFiles.deleteTree(gate(folder));
        gate.copyModel(gate(folder));
        AtomicFiles.deleteTree(reasoner(folder));
        AtomicFiles.copyTree(reasoner, reasoner(folder));
        Map<String, String> files = new TreeMap<>();
        files(folder, List.of(gate(folder), reasoner(folder)))
                .forEach(name -> files.put(name, AtomicFiles.sha256(folder.resolve(name))));
        CatalogFiles catalog = CatalogFiles.in(folder);
        CatalogFiles trained = CatalogFiles.in(gate.path());
        Files.copy(trained.functions(), catalog.functions(), StandardCopyOption.REPLACE_EXISTING);
        Files.copy(trained.scenarios(), catalog.scenarios(), StandardCopyOption.REPLACE_EXISTING);
        int scenarios = ScenarioCatalogReader.read(catalog.scenarios()).size();
        return new Manifest(
                VERSION,
                threshold.threshold(),
                threshold.constraint(),
                threshold.riskControl(),
                new Answering(
                        Math.min(answering.shortlist(), scenarios), answering.maxNewTokens(), answering.constrained()),
                PromptProvenance.read(reasoner).promptHash(),
                AtomicFiles.sha256(catalog.functions()),
                AtomicFiles.sha256(catalog.scenarios()),
                files);
    }

    /** Returns the names of all files below some folders. */
    private static Set<String> files(Path folder, List<Path> parts) {
        Set<String> names = new TreeSet<>();
        for (Path part : parts.stream().filter(Files::isDirectory).toList()) {
            names.addAll(IoFailure.whileReading("cannot list " + part, () -> {
                try (Stream<Path> found = Files.walk(part)) {
                    return found.filter(Files::isRegularFile)
                            .map(file -> folder.relativize(file).toString())
                            .toList();
                }
            }));
        }
        return names;
    }

    /** Returns the gate's run. */
    public Path gate() {
        return gate(path);
    }

    /** Returns the reasoner's model directory. */
    public Path reasoner() {
        return reasoner(path);
    }

    /** Returns the functions and scenarios. */
    public CatalogFiles catalog() {
        return CatalogFiles.in(path);
    }

    private static Path gate(Path folder) {
        return folder.resolve(CascadePart.GATE);
    }

    private static Path reasoner(Path folder) {
        return folder.resolve(CascadePart.REASONER);
    }
}
