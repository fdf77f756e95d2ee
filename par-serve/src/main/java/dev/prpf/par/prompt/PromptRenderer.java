package dev.prpf.par.prompt;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Sample;
import dev.prpf.data.ScenarioCatalog;
import dev.prpf.data.ScenarioCatalog.Scenario;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.io.FunctionSpecJson;
import dev.prpf.mpp.CandidatePool;
import dev.prpf.mpp.Perception;
import dev.prpf.par.prompt.PromptSettings.PoolRendering;
import dev.prpf.par.prompt.PromptSettings.PromptLayout;
import dev.prpf.par.prompt.PromptSettings.PromptWording;
import dev.prpf.par.response.ResponseGrammar;
import dev.prpf.par.tokenizer.Piece;
import dev.prpf.par.tokenizer.Piece.PieceList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Renders the reasoner's prompt. Deterministic: equal requests give equal texts. */
public final class PromptRenderer {
    private final PromptSettings settings;
    private final ScreenTexts screens;
    private final ScenarioCatalog catalog;
    private final Map<String, String> chinese;
    private final @Nullable Prose prose;

    /** @param screens reads the screenshots; {@link ScreenTexts#none()} for text data */
    public PromptRenderer(PromptSettings settings, ScenarioCatalog catalog, ScreenTexts screens) {
        this.settings = settings;
        this.screens = screens;
        this.catalog = catalog;
        this.prose = Prose.of(settings.wording());
        this.chinese = catalog.scenarios().stream().collect(Collectors.toMap(Scenario::name, Scenario::chinese));
    }

    public PromptSettings settings() {
        return settings;
    }

    /** Returns the source of the texts on screenshots. */
    public ScreenTexts screens() {
        return screens;
    }

    /** Returns the system message, or null if the wording has none. */
    public @Nullable String system() {
        return prose == null ? null : Prose.SYSTEM;
    }

    public List<Piece> user(Sample sample, @Nullable Perception perception, CandidatePool candidates) {
        PieceList pieces = new PieceList();
        switch (settings.layout()) {
            case PAPER -> {
                trace(pieces, sample);
                say(pieces, words -> words.task(sample.modality()));
                context(pieces, sample);
                scenes(pieces, perception, candidates);
                functions(pieces, candidates);
                say(pieces, words -> words.instructions(settings.reasoning(), sample.modality()));
            }
            case PREFIX -> {
                begin(pieces, sample);
                functions(pieces, candidates);
                context(pieces, sample);
                scenes(pieces, perception, candidates);
                trace(pieces, sample);
            }
            case PROACTIVEMOBILE -> {
                begin(pieces, sample);
                context(pieces, sample);
                trace(pieces, sample);
                scenes(pieces, perception, candidates);
                functions(pieces, candidates);
                say(pieces, words -> words.closing(sample.modality()));
            }
        }
        return pieces.build();
    }

    /** Renders the task and the instructions, which come first. */
    private void begin(PieceList pieces, Sample sample) {
        say(pieces, words -> words.task(sample.modality()));
        say(pieces, words -> words.instructions(settings.reasoning(), sample.modality()) + "\n");
    }

    /** Adds a piece of the prose, unless the wording has no prose. */
    private void say(PieceList pieces, Function<Prose, String> words) {
        if (prose != null) {
            pieces.control(words.apply(prose));
        }
    }

    /** Renders a user turn that asks a question about a sample: profile, phone, world, trace, then the question. */
    public List<Piece> question(Sample sample, String question) {
        PieceList pieces = new PieceList();
        context(pieces, sample);
        trace(pieces, sample);
        return pieces.control(question).build();
    }

    private void context(PieceList pieces, Sample sample) {
        field(pieces, PromptTags.PROFILE, sample.context().profile());
        field(pieces, PromptTags.PHONE, sample.context().phone());
        field(pieces, PromptTags.WORLD, sample.context().world());
    }

    /** Returns the sample as shown in prompts: with the last {@link PromptSettings#maxScreenshots()} screenshots. */
    public Sample shown(Sample sample) {
        if (settings.maxScreenshots() == null) {
            return sample;
        }
        Trajectory last = sample.trajectory().last(settings.maxScreenshots());
        return sample.with(sample.context(), last, sample.answers());
    }

    private void field(PieceList pieces, String tag, String text) {
        if (settings.wording() == PromptWording.ENGLISH && text.isBlank()) {
            return;
        }
        pieces.control(ResponseGrammar.open(tag)).plain(text);
        if (prose != null) {
            pieces.control(ResponseGrammar.close(tag) + "\n");
        }
    }

    /** Renders the scene list. Omitted for the whole pool: the reasoner then knows only the perceiver's decision (PRPF §4.3, w/o compression). */
    private void scenes(PieceList pieces, @Nullable Perception perception, CandidatePool candidates) {
        if (!settings.scenes() || perception == null || candidates.scenarios().isEmpty()) {
            return;
        }
        boolean full = prose != null;
        List<String> names = candidates.scenarios();
        Function<String, String> brief =
                name -> settings.wording() == PromptWording.ENGLISH ? name : chinese.getOrDefault(name, name);
        Function<String, String> graded = name -> brief.apply(name)
                + String.format(Locale.ROOT, ": %.2f", perception.scenarios().getOrDefault(name, 0.0));
        String text = names.stream().map(full ? graded : brief).collect(Collectors.joining(full ? ", " : ""));
        field(pieces, PromptTags.SCENES, text);
    }

    private void functions(PieceList pieces, CandidatePool candidates) {
        if (prose == null) {
            ordered(candidates).forEach(function -> pieces.control(ResponseGrammar.open(PromptTags.FUNCTION))
                    .plain(described(function)));
            return;
        }
        pieces.control(ResponseGrammar.open(PromptTags.FUNCTIONS) + "\n");
        ordered(candidates).forEach(function -> pieces.plain(described(function) + "\n"));
        pieces.control(ResponseGrammar.close(PromptTags.FUNCTIONS) + "\n");
    }

    /** Returns the functions in the pool's order, or by scenario in catalogue order if common parts come first. */
    private List<FunctionSpec> ordered(CandidatePool candidates) {
        if (settings.layout() != PromptLayout.PREFIX) {
            return candidates.functions();
        }
        List<String> names = catalog.names();
        return candidates.functions().stream()
                .sorted(Comparator.comparingInt(function -> {
                    String scenario = catalog.scenarioOf(function.name());
                    return scenario == null ? names.size() : names.indexOf(scenario);
                }))
                .toList();
    }

    /** Renders the trajectory: one numbered block per step; screenshots in the form of {@link PromptSettings#screenshots()}. */
    private void trace(PieceList pieces, Sample sample) {
        int number = 0;
        for (TraceStep step : shown(sample).trajectory().steps()) {
            step(pieces, ++number, step);
        }
    }

    private void step(PieceList pieces, int number, TraceStep step) {
        boolean screen = step instanceof TraceStep.Screenshot;
        String tag = screen ? PromptTags.SCREEN : PromptTags.STEP;
        pieces.control(ResponseGrammar.open(tag));
        if (prose != null) {
            pieces.control(number + "\n");
        }
        boolean showsImages = screen && settings.screenshots().showsImages();
        boolean worded = !screen || settings.screenshots().worded();
        if (showsImages) {
            pieces.image();
        }
        if (worded) {
            pieces.control(showsImages && prose != null ? "\n" : "").plain(step.text(screens::text));
        }
        if (prose != null) {
            pieces.control("\n" + ResponseGrammar.close(tag) + "\n");
        }
    }

    private String described(FunctionSpec function) {
        return settings.wording() == PromptWording.PROACTIVEMOBILE && settings.pool() == PoolRendering.FULL
                ? FunctionSpecJson.write(function).toString()
                : text(function, settings.pool());
    }

    static String text(FunctionSpec function, PoolRendering rendering) {
        return switch (rendering) {
            case FULL -> full(function);
            case SIGNATURE -> signature(function);
            case COMPACT -> compact(function);
            case NAMES -> function.name();
        };
    }

    private static String compact(FunctionSpec function) {
        return function.parameters().stream()
                .filter(ParameterSpec::required)
                .map(ParameterSpec::name)
                .collect(Collectors.joining(",", function.name() + "(", ")"));
    }

    private static String signature(FunctionSpec function) {
        String parameters =
                function.parameters().stream().map(PromptRenderer::typed).collect(Collectors.joining(", ", "(", ")"));
        return function.name()
                + parameters
                + (function.description().isBlank()
                        ? ""
                        : " " + function.description().strip());
    }

    private static String typed(ParameterSpec parameter) {
        String values = parameter.enumeration() == null
                ? ""
                : parameter.enumeration().stream().map(JsonRecords::text).collect(Collectors.joining("|", "[", "]"));
        return parameter.name() + (parameter.required() ? "" : "?") + ": " + parameter.type() + values;
    }

    private record Described(String name, String description, Map<String, Parameter> parameters) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Parameter(
            String type,
            String description,
            boolean required,
            @JsonProperty("enum") @Nullable List<JsonNode> enumeration,
            @Nullable JsonNode structure) {}

    private static String full(FunctionSpec function) {
        Map<String, Parameter> parameters = new LinkedHashMap<>();
        for (ParameterSpec spec : function.parameters()) {
            Parameter parameter = new Parameter(
                    spec.type(), spec.description(), spec.required(), spec.enumeration(), spec.structure());
            parameters.put(spec.name(), parameter);
        }
        return JsonRecords.write(new Described(function.name(), function.description(), parameters));
    }

    /** The field markers of prompts; each is one token of our own tokenizers. */
    public static final class PromptTags {
        static final String PROFILE = "profile";
        static final String PHONE = "phone";
        static final String WORLD = "world";
        static final String STEP = "step";
        static final String SCREEN = "screen";
        static final String SCENES = "predicted_scenes";
        static final String FUNCTIONS = "available_functions";
        /** One function of a brief pool. */
        static final String FUNCTION = "function";

        private PromptTags() {}

        /** Returns all opening and closing markers. */
        public static List<String> all() {
            return Stream.of(PROFILE, PHONE, WORLD, STEP, SCREEN, SCENES, FUNCTIONS, FUNCTION)
                    .flatMap(tag -> Stream.of(ResponseGrammar.open(tag), ResponseGrammar.close(tag)))
                    .toList();
        }
    }
}
