package dev.prpf.cli.recipe;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.AnswersMapping;
import dev.prpf.data.io.CatalogFiles;
import dev.prpf.data.io.Finding;
import dev.prpf.data.io.FunctionPoolFile;
import dev.prpf.data.io.SampleReader;
import dev.prpf.data.io.SampleWriter;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.io.Validator;
import dev.prpf.mpp.ensemble.SampleTexts;
import dev.prpf.mpp.ensemble.TextAnalyzer;
import dev.prpf.mpp.split.FoldPlan;
import dev.prpf.mpp.split.NearDuplicates;
import dev.prpf.mpp.split.SplitRecord;
import dev.prpf.mpp.threshold.LearnThenTest;
import dev.prpf.mpp.threshold.TriggerThreshold.Risk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A user's own records, checked before anything long runs, and split into training and test records.
 *
 * @param test empty if too few records are given to hold some out
 */
record RecipeData(FunctionPool pool, ScenarioCatalog catalog, List<Sample> train, List<Sample> test) {
    /** With fewer training records, nothing is learned. */
    static final int FEW = 50;

    private static final int LEAST = 2;

    /** The share of the training records that chooses the threshold. */
    static final double DEV_SHARE = 0.2;

    /** The share of the training records that shows a limit with confidence. */
    static final double CALIBRATION_SHARE = 0.2;

    private static final int NAMED = 5;

    /**
     * Reads and checks the records of a recipe.
     *
     * @throws PrpfException 65 for records that a stage would refuse
     */
    static RecipeData read(Recipe recipe) {
        Recipe.Data data = recipe.data();
        Path functions = Objects.requireNonNull(recipe.functions(), "functions");
        FunctionPool pool = FunctionPoolFile.read(functions);
        ScenarioCatalog catalog = ScenarioCatalogReader.of(pool, recipe.scenarios());
        if (!catalog.missing(pool).isEmpty()) {
            throw new InvalidDataException(recipe.scenarios() + ": has no scenario for " + catalog.missing(pool)
                    + "; add them to its \"functions\"");
        }
        List<Sample> train = valid(Objects.requireNonNull(data.train(), "train"), functions, catalog, data.images());
        requireLanguage(
                recipe.language(),
                data.train(),
                train,
                "set language: " + recipe.language().of("en", "zh"));
        requireClasses(data.train(), train, LEAST);
        if (data.test() == null) {
            return split(recipe, pool, catalog, train);
        }
        Path images = data.testImages() == null ? data.images() : data.testImages();
        List<Sample> test = valid(data.test(), functions, catalog, images);
        requireLanguage(
                recipe.language(),
                data.test(),
                test,
                "give a test file in " + recipe.language().of("Chinese", "English"));
        requireNoLeak(data.test(), train, test);
        requireClasses(data.test(), test, 1);
        return new RecipeData(pool, catalog, train, test);
    }

    private static List<Sample> valid(Path file, Path functions, ScenarioCatalog catalog, @Nullable Path images) {
        List<Finding> fatal = new ArrayList<>();
        Validator.validate(
                file, functions, new Validator.Settings(catalog, images, false, AnswersMapping.standard()), finding -> {
                    if (finding.defect().isFatal()) {
                        fatal.add(finding);
                    }
                });
        if (!fatal.isEmpty()) {
            throw new InvalidDataException(file + ": " + fatal.size() + " fatal findings:\n  "
                    + fatal.stream().limit(NAMED).map(Finding::toLine).collect(Collectors.joining("\n  "))
                    + "\n`prpf data validate --data " + file + " --pool " + functions + "` lists all");
        }
        return SampleReader.readAll(file);
    }

    private static void requireClasses(@Nullable Path file, List<Sample> samples, int least) {
        long acting = samples.stream().filter(Sample::wantsIntervention).count();
        long silent = samples.size() - acting;
        if (Math.min(acting, silent) < least) {
            throw new InvalidDataException(file + ": has " + acting + " acting and " + silent
                    + " silent records, at least " + least + " of each are needed; add records "
                    + (silent < least ? "whose right answer is silence (an empty list)" : "with a function call"));
        }
    }

    /** Refuses a limit that so few silent records cannot show, even without a false trigger. */
    static void requireShown(Recipe.Gate gate, long silent) {
        if (gate.confidence() == null) {
            return;
        }
        int least = new LearnThenTest(Risk.FTR, gate.falseTriggers(), gate.confidence()).leastSamples();
        long calibration = Math.round(silent * CALIBRATION_SHARE);
        if (calibration < least) {
            throw new InvalidDataException("gate.confidence = " + gate.confidence() + " with gate.false-triggers = "
                    + gate.falseTriggers() + ": " + silent + " silent training records leave " + calibration
                    + " to show the limit, at least " + least + " are needed; give "
                    + (long) Math.ceil(least / CALIBRATION_SHARE)
                    + " silent records, raise gate.false-triggers, or set gate.confidence to null");
        }
    }

    /**
     * Refuses records in another language: the text encoder and the prompts would not fit.
     *
     * @param ifAll the next step if all records are in another language
     */
    private static void requireLanguage(Language language, @Nullable Path file, List<Sample> samples, String ifAll) {
        List<Sample> other =
                samples.stream().filter(sample -> isOther(language, sample)).toList();
        if (!other.isEmpty()) {
            boolean all = other.size() == samples.size();
            throw new InvalidDataException(file + ": language: " + language.of("zh", "en") + ", but " + other.size()
                    + " of "
                    + samples.size() + " records are in " + language.of("English", "Chinese") + ", the first is "
                    + other.get(0).id()
                    + "; " + (all ? ifAll : "train one recipe for each language"));
        }
    }

    /** Returns whether a record's letters are of another language; foreign names in Chinese records are not. */
    private static boolean isOther(Language language, Sample sample) {
        String text = SampleTexts.of(sample, screenshot -> "").words(true);
        return language == Language.ZH
                ? text.codePoints().anyMatch(Character::isLetter)
                        && text.codePoints().noneMatch(Character::isIdeographic)
                : Language.ofText(text) == Language.ZH;
    }

    private static void requireNoLeak(Path file, List<Sample> train, List<Sample> test) {
        Set<String> seen = new HashSet<>();
        train.forEach(sample -> seen.addAll(List.of(sample.id(), SplitRecord.contentOf(sample))));
        Predicate<Sample> leaks = sample -> seen.contains(sample.id()) || seen.contains(SplitRecord.contentOf(sample));
        List<String> leaked = test.stream().filter(leaks).map(Sample::id).toList();
        if (!leaked.isEmpty()) {
            throw new InvalidDataException(file + ": leak: " + leaked.size()
                    + " test records have the id or the content of a training record, the first is " + leaked.get(0)
                    + "; remove them from one of the files");
        }
    }

    /** Holds out a share of the records; near-duplicates stay together. Few records are all used for training. */
    private static RecipeData split(Recipe recipe, FunctionPool pool, ScenarioCatalog catalog, List<Sample> all) {
        List<String> groups = groups(all);
        int folds = (int) Math.round(1 / recipe.data().testShare());
        if (rarer(all, groups) < folds) {
            return new RecipeData(pool, catalog, all, List.of());
        }
        List<FoldPlan.Entry> entries =
                FoldPlan.of(all, groups, folds, recipe.seed()).entries();
        return new RecipeData(pool, catalog, ofFold(all, entries, false), ofFold(all, entries, true));
    }

    private static List<Sample> ofFold(List<Sample> all, List<FoldPlan.Entry> entries, boolean first) {
        return IntStream.range(0, all.size())
                .filter(i -> (entries.get(i).fold() == 0) == first)
                .mapToObj(all::get)
                .toList();
    }

    private static List<String> groups(List<Sample> samples) {
        List<List<Set<String>>> fields = samples.stream()
                .map(sample -> SampleTexts.of(sample, TraceStep.Screenshot::path)
                        .fields(
                                TextAnalyzer.CHARACTERS::terms,
                                sample.trajectory().screenshots()))
                .toList();
        return NearDuplicates.groups(fields).stream().map(String::valueOf).toList();
    }

    /** Returns the number of training records of the rarer class, acting or silent; near-duplicates count once. */
    long rarer() {
        return rarer(train, groups(train));
    }

    private static long rarer(List<Sample> all, List<String> groups) {
        return Stream.of(true, false)
                .mapToLong(acting -> IntStream.range(0, all.size())
                        .filter(i -> all.get(i).wantsIntervention() == acting)
                        .mapToObj(groups::get)
                        .distinct()
                        .count())
                .min()
                .orElseThrow();
    }

    /** Returns whether the recipe or the functions state scenarios. */
    boolean statesScenarios(Recipe recipe) {
        return recipe.scenarios() != null
                || pool.functions().stream().anyMatch(function -> function.scenario() != null);
    }

    /** Returns remarks about records that are valid but few. */
    List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        if (train.size() < FEW) {
            remarks.add(train.size() + " training records: enough to try the commands, too few to learn from");
        }
        if (test.isEmpty()) {
            remarks.add("no test records are held out: too few of one class; the model card has no metrics");
        }
        return remarks;
    }

    /** Writes the records, functions and scenarios for the stages. */
    void write(RecipeFiles files) {
        SampleWriter.write(files.train(), train.iterator());
        if (!test.isEmpty()) {
            SampleWriter.write(files.test(), test.iterator());
        }
        CatalogFiles.in(files.trainFolder()).write(pool, catalog);
    }
}
