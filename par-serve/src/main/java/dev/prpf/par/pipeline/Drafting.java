package dev.prpf.par.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.data.DeviceContext;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.io.CallChecker;
import dev.prpf.data.io.FunctionSpecJson;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import dev.prpf.par.openai.ChatRequest.SentImage;
import dev.prpf.par.pipeline.Draft.Intent;
import dev.prpf.par.pipeline.Pipeline.Model;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes drafts of records from seeds, by the steps of ProactiveMobile's section 3.2.2. Departure: intents are mapped to calls before the noise
 * is added, so that a call cannot take its values from noise.
 */
final class Drafting {
    /** The candidate that proposes no help. */
    static final String SILENCE = "-";

    /** Maximum number of a record's intents. */
    static final int TOP = 3;

    private static final ModelStep<Situation> SITUATION = new ModelStep<>("situation", Situation.class, true);
    private static final ModelStep<Needs> NEEDS = new ModelStep<>("needs", Needs.class, true);
    private static final ModelStep<Trigger> TRIGGER = new ModelStep<>("trigger", Trigger.class, true);
    private static final ModelStep<Context> CONTEXT = new ModelStep<>("context", Context.class, true);
    private static final ModelStep<ScreenContext> SCREENS = new ModelStep<>("screens", ScreenContext.class, true);
    static final ModelStep<Plausible> PLAUSIBLE = new ModelStep<>("plausible", Plausible.class, false);
    private static final ModelStep<Proposals> INTENTS = new ModelStep<>("intents", Proposals.class, true);
    private static final ModelStep<Groups> GROUP = new ModelStep<>("group", Groups.class, false);
    private static final ModelStep<Reasoning> REASON = new ModelStep<>("reason", Reasoning.class, true);
    private static final ModelStep<Calls> MAP = new ModelStep<>("map", Calls.class, false);
    private static final ModelStep<Noise> NOISE = new ModelStep<>("noise", Noise.class, true);

    record Situation(String situation) {}

    record Needs(List<String> data) {}

    record Trigger(String trigger, String condition, String person) {}

    record Context(String profile, String phone, String world, List<String> trace) {}

    record ScreenContext(String profile, String phone, String world) {}

    record Plausible(boolean plausible, String reason) {}

    record Proposals(List<String> intents) {}

    record Groups(List<List<Integer>> groups) {}

    record Reasoning(String reasoning, String instruction) {}

    record Calls(List<Call> calls) {
        record Call(String name, Map<String, JsonNode> parameters) {}
    }

    record Noise(List<String> profile, List<String> phone, List<String> world, List<String> trace) {}

    /**
     * The models by their role.
     *
     * @param authors write contexts, in turns
     * @param checker judges plausibility
     * @param candidates propose intents
     * @param editor groups, explains, maps and writes noise
     */
    record Roles(List<Model> authors, Model checker, List<Model> candidates, Model editor) {}

    private final Pipeline pipeline;
    private final Roles roles;
    private final DataGenerateCommand.Config config;
    private final FunctionPool pool;
    private final String functions;

    Drafting(Pipeline pipeline, Roles roles, DataGenerateCommand.Config config, FunctionPool pool) {
        this.pipeline = pipeline;
        this.roles = roles;
        this.config = config;
        this.pool = pool;
        this.functions = pool.functions().stream()
                .map(function -> FunctionSpecJson.write(function).toString())
                .collect(Collectors.joining("\n"));
    }

    /** Returns the drafts that passed all steps, in order. */
    List<Draft> run(List<Seed> seeds, ImageFolder images) {
        List<Draft> drafts = mapped(intents(contexts(situations(seeds, images))));
        return noise(pipeline.keep(
                "rules",
                drafts,
                draft -> TraceRules.tells(new Trajectory(draft.trace).texts(), draft.answers())
                        ? TraceRules.TOLD
                        : null));
    }

    private Model author(Draft draft) {
        return roles.authors()
                .get(Math.floorMod(draft.id.hashCode(), roles.authors().size()));
    }

    private List<Draft> situations(List<Seed> seeds, ImageFolder images) {
        List<Draft> drafts = seeds.stream()
                .map(seed -> new Draft(
                        seed.id(), seed, parts(seed, images), Map.of("scenario", seed.scenario(), "seed", seed.text())))
                .toList();
        drafts = pipeline.ask(
                SITUATION,
                drafts,
                this::author,
                (draft, answer) -> draft.known.put("situation", required("situation", answer.situation())));
        drafts = pipeline.ask(NEEDS, drafts, this::author, (draft, answer) -> {
            requireSome("data", answer.data());
            draft.known.put("data", String.join("; ", answer.data()));
        });
        drafts = pipeline.ask(TRIGGER, drafts, this::author, (draft, answer) -> {
            draft.known.put("trigger", required("trigger", answer.trigger()));
            draft.known.put("condition", required("condition", answer.condition()));
            draft.known.put("person", required("person", answer.person()));
        });
        return drafts.stream().flatMap(this::copies).toList();
    }

    private static List<ChatPart> parts(Seed seed, ImageFolder images) {
        return screenshots(seed).stream()
                .<ChatPart>map(shot -> new ChatPart.Image(new SentImage(images.image(shot, "seed " + seed.id()), null)))
                .toList();
    }

    private static List<TraceStep.Screenshot> screenshots(Seed seed) {
        return Objects.requireNonNullElse(seed.images(), List.<String>of()).stream()
                .map(TraceStep.Screenshot::new)
                .toList();
    }

    private Stream<Draft> copies(Draft of) {
        return IntStream.rangeClosed(1, config.recordsPerSeed()).mapToObj(number -> {
            Draft draft = new Draft(of.id + "-" + number, of.seed, of.images, of.known);
            draft.known.put("number", String.valueOf(number));
            draft.known.put("rejected", SILENCE);
            return draft;
        });
    }

    /** Writes contexts, and writes implausible ones again. */
    private List<Draft> contexts(List<Draft> drafts) {
        List<Draft> open = drafts;
        Set<Draft> passed = new HashSet<>();
        for (int attempt = 0; attempt <= config.retries() && !open.isEmpty(); attempt++) {
            List<Draft> written =
                    new ArrayList<>(pipeline.ask(CONTEXT, with(open, false), this::author, (draft, answer) -> {
                        requireSome("trace", answer.trace());
                        TraceRules.check(answer.trace());
                        draft.trace = Trajectory.ofTexts(answer.trace()).steps();
                        draft.context = context(answer.profile(), answer.phone(), answer.world());
                    }));
            written.addAll(pipeline.ask(SCREENS, with(open, true), this::author, (draft, answer) -> {
                draft.trace = List.copyOf(screenshots(draft.seed));
                draft.context = context(answer.profile(), answer.phone(), answer.world());
            }));
            Map<Draft, Plausible> verdicts = new HashMap<>();
            pipeline.ask(PLAUSIBLE, written, draft -> roles.checker(), verdicts::put);
            verdicts.forEach((draft, verdict) -> draft.known.put("rejected", verdict.reason()));
            passed.addAll(written.stream()
                    .filter(draft -> is(true, verdicts.get(draft)))
                    .toList());
            open = written.stream()
                    .filter(draft -> is(false, verdicts.get(draft)))
                    .toList();
        }
        open.forEach(draft -> pipeline.drop(draft, PLAUSIBLE.name(), "implausible: " + draft.known.get("rejected")));
        return drafts.stream().filter(passed::contains).toList();
    }

    private static boolean is(boolean plausible, @Nullable Plausible verdict) {
        return verdict != null && verdict.plausible() == plausible;
    }

    private static List<Draft> with(List<Draft> drafts, boolean images) {
        return drafts.stream().filter(draft -> draft.images.isEmpty() != images).toList();
    }

    private static DeviceContext context(String profile, String phone, String world) {
        return new DeviceContext(required("profile", profile), required("phone", phone), required("world", world));
    }

    /** Collects proposals, groups them, and keeps the three groups with most support. */
    private List<Draft> intents(List<Draft> drafts) {
        drafts.forEach(draft -> draft.known.put("count", String.valueOf(config.candidates())));
        for (Model model : roles.candidates()) {
            pipeline.attempt(INTENTS, drafts, draft -> model, (draft, answer) -> {
                if (answer.intents().size() != config.candidates()) {
                    throw new InvalidDataException(
                            answer.intents().size() + " intents, must be " + config.candidates());
                }
                draft.candidates.addAll(answer.intents().stream()
                        .map(intent -> required("intents", intent))
                        .toList());
            });
        }
        List<Draft> proposed = pipeline.keep(
                INTENTS.name(), drafts, draft -> draft.candidates.isEmpty() ? pipeline.fault(draft) : null);
        proposed.forEach(draft -> draft.known.put(
                "intents",
                IntStream.range(0, draft.candidates.size())
                        .mapToObj(i -> (i + 1) + ". " + draft.candidates.get(i))
                        .collect(Collectors.joining("\n"))));
        List<Draft> grouped = pipeline.ask(GROUP, proposed, draft -> roles.editor(), (draft, answer) -> {
            requirePartition(answer.groups(), draft.candidates);
            draft.groups = answer.groups();
        });
        grouped.forEach(draft -> draft.intents = top(draft));
        return supported(grouped, "group", "no intent has the support of " + config.support() + " candidates");
    }

    private List<Draft> supported(List<Draft> drafts, String step, String reason) {
        return pipeline.keep(step, drafts, draft -> draft.intents.isEmpty() ? reason : null);
    }

    private static void requirePartition(List<List<Integer>> groups, List<String> candidates) {
        int size = candidates.size();
        List<Integer> numbers = groups.stream().flatMap(List::stream).sorted().toList();
        List<Integer> all = IntStream.rangeClosed(1, size).boxed().toList();
        if (!numbers.equals(all)) {
            throw new InvalidDataException(
                    "groups hold the numbers " + numbers + ", must hold each of 1 to " + size + " once");
        }
        for (List<Integer> group : groups) {
            long silent = group.stream()
                    .filter(number -> candidates.get(number - 1).equals(SILENCE))
                    .count();
            if (silent > 0 && silent < group.size()) {
                throw new InvalidDataException(
                        "the group " + group + " holds \"" + SILENCE + "\" and a task; they have different meanings");
            }
        }
    }

    private List<Intent> top(Draft draft) {
        Comparator<List<Integer>> most = Comparator.comparing(group -> -group.size());
        List<Integer> firsts = draft.groups.stream()
                .filter(group -> group.size() >= config.support())
                .sorted(most.thenComparingInt(Collections::min))
                .limit(TOP)
                .map(Collections::min)
                .toList();
        return IntStream.range(0, firsts.size())
                .mapToObj(i -> new Intent(draft, i + 1, draft.candidates.get(firsts.get(i) - 1)))
                .toList();
    }

    /** Writes the reasoning of each intent and maps it to calls of the pool. */
    private List<Draft> mapped(List<Draft> drafts) {
        drafts.forEach(draft -> draft.known.put("functions", functions));
        Function<Intent, Model> editor = intent -> roles.editor();
        List<Intent> intents =
                drafts.stream().flatMap(draft -> draft.intents.stream()).toList();
        intents = pipeline.ask(REASON, intents, editor, (intent, answer) -> {
            intent.reasoning = required("reasoning", answer.reasoning());
            intent.instruction = intent.isSilence() ? "" : required("instruction", answer.instruction());
        });
        Set<Intent> kept = intents.stream().filter(Intent::isSilence).collect(Collectors.toSet());
        kept.addAll(pipeline.ask(
                MAP,
                intents.stream().filter(intent -> !intent.isSilence()).toList(),
                editor,
                (intent, answer) -> intent.calls = answer.calls().stream()
                        .map(call -> checked(new FunctionCall(call.name(), call.parameters())))
                        .toList()));
        drafts.forEach(draft ->
                draft.intents = draft.intents.stream().filter(kept::contains).toList());
        return supported(drafts, "map", "no intent has a valid answer");
    }

    private FunctionCall checked(FunctionCall call) {
        String fault = fault(pool, call);
        if (fault != null) {
            throw new InvalidDataException(fault);
        }
        return call;
    }

    /** Returns the first fatal defect of a call, or null. */
    static @Nullable String fault(FunctionPool pool, FunctionCall call) {
        return CallChecker.fatal(pool, call).stream()
                .map(defect -> call.name() + defect.path() + " " + defect.message())
                .findFirst()
                .orElse(null);
    }

    /** Adds irrelevant text of a drawn multiple of the relevant text's length. */
    private List<Draft> noise(List<Draft> drafts) {
        DataGenerateCommand.Noise wanted = config.noise();
        Map<Draft, Integer> goals = new HashMap<>();
        for (Draft draft : drafts) {
            double factor = wanted.least()
                    + new SplittableRandom(config.seed() ^ draft.id.hashCode()).nextDouble()
                            * (wanted.most() - wanted.least());
            goals.put(draft, (int) Math.ceil(factor * draft.length()));
        }
        List<Draft> open = drafts;
        for (int part = 1; part <= wanted.requests() && !open.isEmpty(); part++) {
            for (Draft draft : open) {
                draft.known.put("part", String.valueOf(part));
                draft.known.put(
                        "length", String.valueOf(Objects.requireNonNull(goals.get(draft)) - draft.noiseLength()));
            }
            open = pipeline.attempt(NOISE, open, draft -> roles.editor(), this::add).stream()
                    .filter(draft -> draft.noiseLength() < Objects.requireNonNull(goals.get(draft)))
                    .toList();
        }
        return pipeline.keep(
                "noise",
                drafts,
                draft -> draft.noiseLength() >= wanted.least() * draft.length()
                        ? null
                        : draft.noiseLength() + " characters of noise, must be at least " + wanted.least() + " times "
                                + draft.length());
    }

    private void add(Draft draft, Noise noise) {
        TraceRules.check(noise.trace());
        LocalTime end = draft.trace.get(draft.trace.size() - 1) instanceof TraceStep.Caption last
                ? TraceRules.time(last.text())
                : null;
        if (end != null
                && noise.trace().stream().map(TraceRules::time).anyMatch(time -> time != null && !time.isBefore(end))) {
            throw new InvalidDataException("trace: steps of noise must be before the last step, at " + end);
        }
        String all = Stream.of(noise.profile(), noise.phone(), noise.world(), noise.trace())
                .flatMap(List::stream)
                .collect(Collectors.joining("\n"));
        if (TraceRules.tells(List.of(all), draft.answers())) {
            throw new InvalidDataException("the noise must not say the recommendation");
        }
        int most = (int) (config.noise().most() * draft.length());
        draft.add("profile", noise.profile(), most);
        draft.add("phone", noise.phone(), most);
        draft.add("world", noise.world(), most);
        draft.add("trace", draft.images.isEmpty() ? noise.trace() : List.of(), most);
    }

    private static String required(String field, String text) {
        if (text.isBlank()) {
            throw new InvalidDataException("\"" + field + "\" is empty");
        }
        return text.strip();
    }

    private static void requireSome(String field, List<String> texts) {
        if (texts.isEmpty() || texts.stream().anyMatch(String::isBlank)) {
            throw new InvalidDataException("\"" + field + "\" is empty or holds an empty text");
        }
    }
}
