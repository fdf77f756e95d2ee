package dev.prpf.par.export;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.UsageException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.data.Sample;
import dev.prpf.par.prompt.ChatMl;
import dev.prpf.par.prompt.PromptSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** The folder that an export is written to. */
public final class ExportFolder {
    /** Written last: what the export is. */
    public static final String MANIFEST = "export.json";

    static final String TRAIN = "train";
    static final String TEST = "test";
    static final String TEMPLATE = "chat_template.jinja";
    static final String DATASET_INFO = "dataset_info.json";
    static final String TO_PARQUET = "to_parquet.py";

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final Path folder;
    private final Trainer trainer;
    private final List<String> written = new ArrayList<>();

    /**
     * Names the place; nothing is written yet.
     *
     * @param overwrite whether an export that stands there may go
     * @throws PrpfException 2 if something else is there, or an export that must stay
     */
    public ExportFolder(Path folder, Trainer trainer, boolean overwrite) {
        this.folder = folder;
        this.trainer = trainer;
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
                throw new UsageException(
                        "--out " + folder + ": holds files that are no whole export; empty it, or name another folder");
            }
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        }
    }

    /** Writes an SFT set; returns the names of the files. */
    public List<String> writeSupervised(ExportSource source) {
        clear();
        TrainerRows rows = new TrainerRows(trainer);
        lines(TRAIN, source.records().stream().map(rows::supervised).toList());
        if (trainer == Trainer.LLAMA_FACTORY) {
            json(DATASET_INFO, DatasetInfo.of(TRAIN + ".jsonl"));
        }
        return finish(source, "sft");
    }

    /**
     * Writes a GRPO set; returns the names of the files.
     *
     * @param test may be empty: then there is no such file
     */
    public List<String> writeRewarded(
            ExportSource source, List<GrpoPrompt> train, List<GrpoPrompt> test, RewardFiles reward) {
        if (!trainer.hasGrpo()) {
            throw new IllegalArgumentException(trainer + " has no GRPO");
        }
        clear();
        rewarded(TRAIN, train);
        if (!test.isEmpty()) {
            rewarded(TEST, test);
        }
        Map<String, Sample> samples = new LinkedHashMap<>();
        Stream.concat(train.stream(), test.stream())
                .forEach(prompt -> samples.put(prompt.sample().id(), prompt.sample()));
        reward.write(folder, samples.values());
        written.addAll(RewardFiles.NAMES);
        return finish(source, "grpo");
    }

    private void rewarded(String split, List<GrpoPrompt> prompts) {
        TrainerRows rows = new TrainerRows(trainer);
        List<ObjectNode> lines = new ArrayList<>();
        for (GrpoPrompt prompt : prompts) {
            lines.add(rows.rewarded(prompt, split, lines.size()));
        }
        lines(split, lines);
    }

    private List<String> finish(ExportSource source, String stage) {
        AtomicFiles.writeText(folder.resolve(TEMPLATE), ChatMl.TEMPLATE);
        written.add(TEMPLATE);
        if (trainer == Trainer.VERL) {
            ShippedScript.write(TO_PARQUET, folder);
            written.add(TO_PARQUET);
        }
        ObjectNode manifest = NODES.objectNode()
                .put("to", trainer.toString())
                .put("stage", stage)
                .put("reasoning", lower(source.prompt().reasoning()))
                .put("wording", source.wording());
        manifest.set("prompt", section(source.prompt()));
        written.forEach(manifest.putArray("files")::add);
        json(MANIFEST, manifest);
        return List.copyOf(written);
    }

    /** As a configuration's {@code prompt:} section has it. */
    private static ObjectNode section(PromptSettings prompt) {
        return NODES.objectNode()
                .put("layout", lower(prompt.layout()))
                .put("wording", lower(prompt.wording()))
                .put("pool", lower(prompt.pool()))
                .put("scenes", prompt.scenes())
                .put("reasoning", lower(prompt.reasoning()))
                .put("max-screenshots", prompt.maxScreenshots());
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The manifest goes first: without it the folder is no export. Parquet files were made of the lines that go. */
    private void clear() {
        List<String> names = new ArrayList<>(List.of(MANIFEST, TEMPLATE, DATASET_INFO, TO_PARQUET));
        names.addAll(RewardFiles.NAMES);
        for (String split : List.of(TRAIN, TEST)) {
            names.add(split + ".jsonl");
            names.add(split + ".parquet");
        }
        try {
            for (String name : names) {
                Files.deleteIfExists(folder.resolve(name));
            }
        } catch (IOException e) {
            throw IoFailure.writing(folder, e);
        }
    }

    private void lines(String split, List<ObjectNode> rows) {
        String name = split + ".jsonl";
        AtomicFiles.write(folder.resolve(name), out -> {
            for (ObjectNode row : rows) {
                out.write((row + "\n").getBytes(StandardCharsets.UTF_8));
            }
        });
        written.add(name);
    }

    private void json(String name, JsonNode content) {
        AtomicFiles.writeText(folder.resolve(name), content.toPrettyString() + "\n");
        if (!name.equals(MANIFEST)) {
            written.add(name);
        }
    }
}
