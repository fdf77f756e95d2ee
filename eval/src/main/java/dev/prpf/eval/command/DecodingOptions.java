package dev.prpf.eval.command;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.UsageException;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.cascade.SeededSampling;
import dev.prpf.par.command.LocalDecodingOptions;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.sets.SftRecord;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** How a reasoner answers: a model in this process by these options, one on a server by its file; a mixin. */
final class DecodingOptions {
    /** Options of a reasoner in this process alone: a perceiver is greedy. */
    private static final List<String> DRAWN = List.of("--temperature", "--top-p", "--seed");

    private static final List<String> LOCAL =
            Stream.of(LocalDecodingOptions.NAMES, DRAWN).flatMap(List::stream).toList();

    private static final String SET = "--set";

    @Option(names = SET, paramLabel = "KEY=VALUE", description = "Override a key of the --remote file (repeatable).")
    private List<String> overrides = List.of();

    @Mixin
    private LocalDecodingOptions local;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            defaultValue = "0",
            description = "Draw tokens, the logits divided by this; 0 takes the likeliest (default: ${DEFAULT-VALUE}).")
    private double temperature;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description = "Draw from the likeliest tokens that make up this share (default: 1).")
    private @Nullable Double topP;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of the draws; a sample's depend on this and its id alone (default: 1).")
    private @Nullable Long seed;

    /** How the reasoner answers, in this process or on a server; the other one is null. */
    record Answering(LocalReasoner.@Nullable Settings local, RemoteReasoner.@Nullable RemoteSettings remote) {}

    /** What these options and a reasoner's file decide. */
    Answering answering(RemoteReasoner.@Nullable Config remote) {
        return remote == null ? new Answering(local(), null) : new Answering(null, remote.reasoner());
    }

    /** @throws UsageException for a value that is out of range, and for an option without effect */
    LocalReasoner.Settings local() {
        try {
            return local.settings(sampling());
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }

    private @Nullable SeededSampling sampling() {
        if (temperature != 0) {
            return new SeededSampling(temperature, topP == null ? 1 : topP, seed == null ? 1 : seed);
        }
        if (topP != null || seed != null) {
            throw new UsageException((topP != null ? "--top-p" : "--seed")
                    + " has no effect at --temperature 0, which takes the likeliest token; give a temperature above 0");
        }
        return null;
    }

    /**
     * The reasoner on a server that a file describes.
     *
     * @param perceiver whether a model in this process perceives, whose these options are then
     */
    RemoteReasoner.Config remote(Path file, ParseResult given, boolean perceiver) {
        String why = "is for --par; the settings of a reasoner on a server stand in " + file;
        refuseAll(perceiver ? DRAWN : LOCAL, given, perceiver ? why + ", and a perceiver is greedy" : why);
        return StrictYaml.read(file, RemoteReasoner.Config.class, overrides);
    }

    /** Refuses the options of a model in this process. */
    static void refuseLocal(ParseResult given, String why) {
        refuseAll(LOCAL, given, why);
    }

    private static void refuseAll(List<String> options, ParseResult given, String why) {
        options.forEach(option -> refuse(given, option, option + " " + why));
    }

    /** Refuses {@code --set} where there is no file whose keys it could override. */
    static void refuseOverrides(ParseResult given) {
        refuse(given, SET, SET + " overrides keys of a --remote file; there is none");
    }

    static void refuse(ParseResult given, String option, String why) {
        if (given.hasMatchedOption(option)) {
            throw new UsageException(why);
        }
    }

    /**
     * What a reasoner was, for {@code run.json}: of a model its files' sum and its prompts' hash, of a server the hash of its prompts' wording.
     */
    static Map<String, Object> facts(String reasoner, @Nullable Path model, RemoteReasoner.@Nullable Config remote) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("reasoner", reasoner);
        facts.put(
                "model_sha256",
                model == null ? "none" : HuggingFaceDirectory.open(model).sha256());
        if (model != null) {
            facts.put("prompt_hash", PromptProvenance.read(model).promptHash());
        } else if (remote != null) {
            facts.put("prompt_hash", SftRecord.wordingOf(remote.reasoner().prompt()));
        }
        return facts;
    }
}
