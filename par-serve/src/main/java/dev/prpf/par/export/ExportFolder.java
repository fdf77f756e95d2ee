package dev.prpf.par.export;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.files.RecordLines;
import dev.prpf.base.files.Resource;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.base.parquet.ColumnType;
import dev.prpf.base.parquet.ColumnType.Struct;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.RecordColumns;
import dev.prpf.par.chat.ChatTemplates.ChatMl;
import dev.prpf.par.export.RewardedPrompts.RewardFiles;
import dev.prpf.par.reward.ResponseScorer;
import dev.prpf.par.sets.SftRecord;
import dev.prpf.par.sets.SftRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** Writes an export to a folder. */
public final class ExportFolder {
    /** The description of the export, written last. */
    public static final String MANIFEST = "export.json";

    static final String TRAIN = "train";
    static final String TEST = "test";
    static final String TEMPLATE = "chat_template.jinja";
    static final String DATASET_INFO = "dataset_info.json";
    static final String TO_PARQUET = "to_parquet.py";

    private static final String MESSAGES = "\"messages\" : \"messages\"";
    private static final String IMAGES = ",\n      \"images\" : \"images\"";

    private final Path folder;
    private final Trainer trainer;
    private final ParquetFiles parquet;
    private final ImageFiles images;
    private final List<String> written = new ArrayList<>();

    /**
     * The result of an export.
     *
     * @param out the folder; null for a dry run
     * @param acting records of samples that want an intervention
     * @param rewritten records with texts that other programs would misread
     * @param images number of copied images
     */
    public record Summary(
            @Nullable String out,
            String to,
            String stage,
            long records,
            long testRecords,
            long acting,
            long silent,
            long rewritten,
            int images,
            List<String> files) {}

    /** Prepares an export of prompts without images, like the other constructor. */
    public ExportFolder(Path folder, Trainer trainer, boolean overwrite) {
        this(folder, trainer, overwrite, new ImageFolder(null));
    }

    /**
     * Prepares an export without writing yet.
     *
     * @param overwrite whether an existing export may be replaced
     * @param images the folder of the prompts' images
     * @throws PrpfException 2 if the folder holds other files, or an export that must not be replaced
     */
    public ExportFolder(Path folder, Trainer trainer, boolean overwrite, ImageFolder images) {
        this.folder = folder;
        this.trainer = trainer;
        this.parquet = new ParquetFiles(folder);
        this.images = new ImageFiles(folder, images);
        requireFree(folder, overwrite);
    }

    private static void requireFree(Path folder, boolean overwrite) {
        if (!Files.exists(folder)) {
            return;
        }
        if (!Files.isDirectory(folder)) {
            throw new UsageException("--out " + folder + ": is a file; name a folder for the export");
        }
        if (Files.exists(folder.resolve(MANIFEST))) {
            if (!overwrite) {
                throw new UsageException(
                        "--out " + folder + ": holds an export already; name another, or replace it with --overwrite");
            }
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            if (files.findAny().isPresent()) {
                throw new UsageException("--out " + folder
                        + ": holds files that are not a complete export; empty it, or name another" + " folder");
            }
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        }
    }

    /**
     * Writes an SFT set with a held-out split; returns the names of the files.
     *
     * @param test held-out records; without any there is no such file
     * @throws PrpfException 2 for images that the trainer does not support. 65, before anything is deleted, for a record that it would
     *     misread, or with a missing image
     */
    public List<String> writeSupervised(SftRecords set, List<SftRecord> test) {
        if (!trainer.hasSft()) {
            throw new IllegalArgumentException(trainer + " has no SFT export");
        }
        TrainerRows rows = checkedRows(set, set.records(), test, false);
        clear();
        lines(TRAIN, false, set.records().stream().map(rows::supervised));
        if (!test.isEmpty()) {
            lines(TEST, false, test.stream().map(rows::supervised));
        }
        if (trainer == Trainer.LLAMA_FACTORY) {
            describe(set.prompt().screenshots().showsImages());
        }
        return finish(set, "sft", null);
    }

    /** Makes the checks of {@link #writeSupervised(SftRecords, List)} without writing. */
    public void checkSupervised(SftRecords set, List<SftRecord> test) {
        checkedRows(set, set.records(), test, false);
    }

    /** Makes the checks of {@link #writeRewarded} without writing. */
    public void checkRewarded(SftRecords set, List<SftRecord> train, List<SftRecord> test) {
        checkedRows(set, train, test, true);
    }

    private TrainerRows checkedRows(SftRecords set, List<SftRecord> train, List<SftRecord> test, boolean rewarded) {
        TrainerRows rows = rows(set, rewarded);
        if (rewarded || set.prompt().screenshots().showsImages()) {
            Stream.concat(train.stream(), test.stream()).forEach(rows::requireReadable);
        }
        return rows;
    }

    /** Returns the row format; Parquet keeps whole records with the paths of their images. */
    private TrainerRows rows(SftRecords set, boolean rewarded) {
        if (!set.prompt().screenshots().showsImages()) {
            return new TrainerRows(trainer);
        }
        if (trainer == Trainer.PARQUET && !rewarded) {
            return new TrainerRows(trainer);
        }
        if (!trainer.supportsImages(rewarded)) {
            throw new UsageException("the set's prompts show images (prompt.screenshots = "
                    + EnumName.of(set.prompt().screenshots()) + "), which " + trainer + "'s "
                    + (rewarded ? "GRPO" : "SFT") + " set does not support; export to trl, or make the set with"
                    + " prompt.screenshots: ocr");
        }
        return new TrainerRows(trainer, images);
    }

    /** Number of distinct images that the export has copied, or would copy after a check. */
    public int images() {
        return images.count();
    }

    /**
     * Writes unchanged samples as Parquet; returns the names of the files. Memory holds one row group.
     *
     * @param test held-out samples, or null
     */
    public List<String> writeSamples(Iterator<Sample> train, @Nullable Iterator<Sample> test) {
        clear();
        rows(TRAIN, RecordColumns.WRITTEN, train, RecordColumns::row);
        if (test != null) {
            rows(TEST, RecordColumns.WRITTEN, test, RecordColumns::row);
        }
        written.add(parquet.card("Records"));
        return write(new Manifest(trainer.toString(), "records", null, null, null, null, List.copyOf(written)));
    }

    /**
     * Writes a GRPO set; returns the names of the files.
     *
     * @param train records with the prompts to roll out; duplicates are allowed
     * @param test held-out records; without any there is no such file
     * @param reward with the samples of all records
     * @throws PrpfException 65, before anything is deleted, for a prompt that the trainer would misread
     */
    public List<String> writeRewarded(SftRecords set, List<SftRecord> train, List<SftRecord> test, RewardFiles reward) {
        if (!trainer.hasGrpo()) {
            throw new IllegalArgumentException(trainer + " has no GRPO");
        }
        TrainerRows rows = checkedRows(set, train, test, true);
        clear();
        rewarded(TRAIN, train, reward, rows);
        if (!test.isEmpty()) {
            rewarded(TEST, test, reward, rows);
        }
        written.addAll(reward.write(
                folder,
                trainer,
                Stream.concat(train.stream(), test.stream())
                        .map(SftRecord::id)
                        .collect(Collectors.toCollection(LinkedHashSet::new))));
        return finish(set, "grpo", reward.configuration(set.prompt().reasoning()));
    }

    private void rewarded(String split, List<SftRecord> records, RewardFiles reward, TrainerRows rows) {
        lines(split, true, IntStream.range(0, records.size()).mapToObj(i -> {
            SftRecord record = records.get(i);
            return rows.rewarded(record, reward.sample(record.id()), split, i);
        }));
    }

    /**
     * Writes the files next to rows that others wrote, the manifest last; returns the names of all files.
     *
     * @param rows names of the rows' files or folders
     * @param set the set; for SFT some of its records are enough
     * @param reward reward of a GRPO set, with its samples among {@code rows}; null for an SFT set
     */
    public List<String> writeFurther(List<String> rows, SftRecords set, @Nullable RewardFiles reward) {
        clear();
        written.addAll(rows);
        if (reward != null) {
            written.addAll(reward.writeRules(folder, trainer));
        } else if (trainer == Trainer.LLAMA_FACTORY) {
            ship(DATASET_INFO);
        }
        return finish(
                set,
                reward == null ? "sft" : "grpo",
                reward == null ? null : reward.configuration(set.prompt().reasoning()));
    }

    /** Writes the files next to unchanged samples, like {@link #writeFurther(List, SftRecords, RewardFiles)}. */
    public List<String> writeFurther(List<String> rows) {
        clear();
        written.addAll(rows);
        return write(new Manifest(trainer.toString(), "records", null, null, null, null, List.copyOf(written)));
    }

    /** @param reward the required {@link ResponseScorer#configuration} of a GRPO set's reward service, else null. Records have no prompts */
    private record Manifest(
            String to,
            String stage,
            @Nullable String reasoning,
            @Nullable String reward,
            @Nullable String wording,
            @Nullable JsonNode prompt,
            List<String> files) {}

    private List<String> finish(SftRecords set, String stage, @Nullable String reward) {
        boolean showsImages = set.prompt().screenshots().showsImages();
        AtomicFiles.writeText(folder.resolve(TEMPLATE), showsImages ? ChatMl.IMAGE_TEMPLATE : ChatMl.TEMPLATE);
        written.add(TEMPLATE);
        if (images.count() > 0) {
            written.add(ImageFiles.FOLDER);
        }
        if (trainer == Trainer.VERL) {
            ship(TO_PARQUET);
        }
        if (trainer == Trainer.PARQUET && parquet.hasSplits()) {
            written.add(parquet.card(stage.toUpperCase(Locale.ROOT) + " set"));
        }
        return write(new Manifest(
                trainer.toString(),
                stage,
                EnumName.of(set.prompt().reasoning()),
                reward,
                set.wording(),
                JsonRecords.tree(StrictYaml.plain(set.prompt())),
                List.copyOf(written)));
    }

    private List<String> write(Manifest manifest) {
        AtomicFiles.writeText(
                folder.resolve(MANIFEST), JsonRecords.tree(manifest).toPrettyString() + "\n");
        return manifest.files();
    }

    private void ship(String name) {
        ship(name, folder);
        written.add(name);
    }

    /** Deletes the manifest first, so that the folder is not an export, then the other files, including derived Parquet files. */
    private void clear() {
        boolean hadImages = ImageFiles.areListed(folder.resolve(MANIFEST));
        List<String> names = new ArrayList<>(List.of(MANIFEST, TEMPLATE, DATASET_INFO, TO_PARQUET));
        names.addAll(RewardFiles.NAMES);
        Arrays.stream(Trainer.values()).forEach(any -> names.addAll(any.hooks()));
        for (String split : List.of(TRAIN, TEST)) {
            names.add(split + ".jsonl");
            names.add(split + ".parquet");
        }
        try {
            for (String name : names) {
                Files.deleteIfExists(folder.resolve(name));
            }
            ParquetFiles.clear(folder);
            if (hadImages) {
                ImageFiles.clear(folder);
            }
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        }
    }

    private void lines(String split, boolean rewarded, Stream<Record> rows) {
        if (trainer == Trainer.PARQUET) {
            Struct columns = ColumnType.of(TrainerRows.typeOf(rewarded));
            rows(split, columns, rows.iterator(), row -> (ObjectNode) JsonRecords.tree(row));
            return;
        }
        String name = split + ".jsonl";
        new RecordLines<>(Record.class, "row").write(folder.resolve(name), rows.iterator());
        written.add(name);
    }

    private <T> void rows(String split, Struct columns, Iterator<T> values, Function<T, ObjectNode> row) {
        Spliterator<T> all = Spliterators.spliteratorUnknownSize(values, Spliterator.ORDERED);
        written.addAll(parquet.write(
                split, columns, StreamSupport.stream(all, false).map(row).iterator()));
    }

    /** Writes LLaMA-Factory's columns, with images as an additional one. */
    private void describe(boolean showsImages) {
        String columns = Resource.text(ExportFolder.class, DATASET_INFO);
        AtomicFiles.writeText(
                folder.resolve(DATASET_INFO), showsImages ? columns.replace(MESSAGES, MESSAGES + IMAGES) : columns);
        written.add(DATASET_INFO);
    }

    /** Copies a resource of the program into an export. */
    static void ship(String name, Path folder) {
        byte[] content = Resource.bytes(ExportFolder.class, name);
        AtomicFiles.write(folder.resolve(name), out -> out.write(content));
    }
}
