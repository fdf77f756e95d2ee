package dev.prpf.data.synth.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.prpf.base.error.ExitCode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UnavailableException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.LockFile;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.Sample.Modality;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.Finding;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.io.Validator;
import dev.prpf.data.synth.SampleSynth;
import dev.prpf.data.synth.SynthSample;
import dev.prpf.data.synth.SynthSettings;
import dev.prpf.data.synth.TestSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SynthOutputTest {
    private static final FunctionPool POOL = FunctionPoolFile.shipped();

    @TempDir
    Path directory;

    private static Map<String, Long> write(Path out, double multimodal, @Nullable Path font) {
        SynthSettings settings = TestSettings.of(5, 12, "test", multimodal, Language.ZH);
        return new SynthOutput(out, POOL).write(new SampleSynth(settings, ScenarioCatalogReader.shipped()), font);
    }

    private static Map<String, String> hashes(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            Map<String, String> hashes = new TreeMap<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                hashes.put(root.relativize(file).toString(), AtomicFiles.sha256(file));
            }
            return hashes;
        }
    }

    @Test
    void sameSeedSameBytes() throws IOException {
        write(directory.resolve("one"), 0.5, null);
        write(directory.resolve("two"), 0.5, null);

        Map<String, String> hashes = hashes(directory.resolve("one"));
        assertThat(hashes).isEqualTo(hashes(directory.resolve("two")));
        assertThat(hashes.keySet())
                .contains("benchmark_zh.json", "function_pool.json", "scenarios.json")
                .anyMatch(name -> name.endsWith(".png"));
    }

    @Test
    void everyImageIsNamedByOneSampleAndIsThere() throws IOException {
        Map<String, Long> counts = write(directory, 1, null);
        List<Sample> samples = SampleReader.readAll(directory.resolve("benchmark_zh.json"));

        assertThat(samples).hasSize(12).allMatch(sample -> sample.modality() == Modality.MULTIMODAL);
        List<String> named = samples.stream()
                .flatMap(sample -> sample.trajectory().screenshots().stream())
                .map(dev.prpf.data.Trajectory.TraceStep.Screenshot::path)
                .toList();
        assertThat(named).doesNotHaveDuplicates().allMatch(name -> Files.isRegularFile(directory.resolve(name)));
        assertThat(counts).containsEntry("images", (long) named.size());
    }

    @Test
    void theSamplesReadBackAsMade() {
        write(directory, 0, null);
        SynthSettings settings = TestSettings.of(5, 12, "test", 0, Language.ZH);
        List<Sample> made = new SampleSynth(settings, ScenarioCatalogReader.shipped())
                .samples()
                .map(SynthSample::sample)
                .toList();
        assertThat(SampleReader.readAll(directory.resolve("benchmark_zh.json"))).isEqualTo(made);
    }

    @Test
    void theValidatorFindsNothing() {
        for (Language language : Language.values()) {
            Path out = directory.resolve(language.name());
            SynthSettings settings = TestSettings.of(9, 2000, "test", 0.005, language);
            new SynthOutput(out, POOL).write(new SampleSynth(settings, ScenarioCatalogReader.shipped()), null);
            List<Finding> findings = new ArrayList<>();
            Validator.Settings checks = new Validator.Settings(
                    ScenarioCatalogReader.read(out.resolve("scenarios.json")), out, false, AnswersMapping.standard());
            Path data = out.resolve(SynthOutput.fileName(language));
            Validator.Summary summary =
                    Validator.validate(data, out.resolve("function_pool.json"), checks, findings::add);
            assertThat(findings).isEmpty();
            assertThat(summary).isEqualTo(new Validator.Summary(2000, 0, 0));
        }
    }

    /** Creates the folder that a kill leaves while the old data set is replaced by the new one. */
    private Map<String, String> killedWhilePublishing(Path out) throws IOException {
        write(out, 0.5, null);
        Files.writeString(out.resolve("images/notes.txt"), "mine");
        Map<String, String> old = hashes(out);
        Path replaced = Files.createDirectories(out.resolve(".synth.partial/replaced"));
        for (String name : List.of("benchmark_zh.json", "function_pool.json", "images")) {
            Files.move(out.resolve(name), replaced.resolve(name));
        }
        Files.createDirectory(out.resolve("images"));
        Files.writeString(out.resolve("images/new.png"), "of the new data set");
        return old;
    }

    @Test
    void afterAKillTheOldDataSetIsPutBack() throws IOException {
        Map<String, String> old = killedWhilePublishing(directory);
        new SynthOutput(directory, POOL).recover();
        assertThat(hashes(directory)).isEqualTo(old);
    }

    @Test
    void theRunAfterAKillLeavesNothingOfItOrTheOldDataSet() throws IOException {
        killedWhilePublishing(directory.resolve("out"));
        write(directory.resolve("out"), 0.2, null);
        write(directory.resolve("alone"), 0.2, null);
        Files.writeString(directory.resolve("alone/images/notes.txt"), "mine");
        assertThat(hashes(directory.resolve("out"))).isEqualTo(hashes(directory.resolve("alone")));
        assertThat(directory.resolve("out/.synth.partial")).doesNotExist();
    }

    @Test
    void twoWritersOfOneFolderDoNotMeet() throws IOException {
        Files.createDirectories(directory.resolve(".synth.partial"));
        try (LockFile other = LockFile.tryTake(directory.resolve(".synth.partial/lock"))) {
            assertThat(other).isNotNull();
            assertThatThrownBy(() -> write(directory, 0, null))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessage(directory
                            + ": another process is writing a data set here; wait for it, or name another --out");
        }
        write(directory, 0, null);
        assertThat(directory.resolve("benchmark_zh.json")).exists();
    }

    @Test
    void aMissingFontIs69AndLeavesNothing() {
        Path font = directory.resolve("none.ttf");
        assertThatThrownBy(() -> write(directory.resolve("out"), 1, font))
                .isInstanceOfSatisfying(PrpfException.class, failure -> assertThat(ExitCode.of(failure))
                        .isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("none.ttf")
                .hasMessageContaining("--font");
        assertThat(directory.resolve("out")).doesNotExist();
    }

    @Test
    void aBrokenFontIs69AsAMissingOneAndLeavesNothing() throws IOException {
        Path font = Files.writeString(directory.resolve("broken.ttf"), "no font at all");
        assertThatThrownBy(() -> write(directory.resolve("out"), 1, font))
                .isInstanceOfSatisfying(PrpfException.class, failure -> assertThat(ExitCode.of(failure))
                        .isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("broken.ttf")
                .hasMessageContaining("--font");
        assertThat(directory.resolve("out")).doesNotExist();
    }

    @Test
    void aFileInTheFoldersPlaceIs69AndStays() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "mine");
        assertThatThrownBy(() -> write(file, 0, null))
                .isInstanceOfSatisfying(PrpfException.class, failure -> assertThat(ExitCode.of(failure))
                        .isEqualTo(ExitCode.UNAVAILABLE))
                .hasMessageContaining("cannot write " + file);
        assertThat(file).hasContent("mine");
    }

    @Test
    void aDataSetInThePlaceOfAnotherLeavesNothingOfIt() throws IOException {
        Path out = directory.resolve("out");
        assertThat(new SynthOutput(out, POOL).existing()).isNull();
        write(out, 1, null);
        assertThat(new SynthOutput(out, POOL).existing()).isEqualTo(out.resolve("benchmark_zh.json"));
        SynthSettings other = TestSettings.of(6, 10, "train", 0.1, Language.EN);
        new SynthOutput(out, POOL).write(new SampleSynth(other, ScenarioCatalogReader.shipped()), null);

        Path alone = directory.resolve("alone");
        new SynthOutput(alone, POOL).write(new SampleSynth(other, ScenarioCatalogReader.shipped()), null);
        assertThat(hashes(out)).isEqualTo(hashes(alone));
    }
}
