package dev.prpf.data.synth;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Language;
import dev.prpf.data.Recommendation;
import dev.prpf.data.synth.Binding.DayTime;
import dev.prpf.data.synth.SamplePlanner.SamplePlan;
import dev.prpf.data.synth.SamplePlanner.SamplePlan.Decoy;
import dev.prpf.data.synth.SynthSample.Temper;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The part of a planned sample that decides its answer or appears to; all other sentences are distraction. */
final class Evidence {
    private static final double OPTIONAL_STATED = 0.12;
    private static final double IN_NOTIFICATION = 0.06;
    private static final double DECOY_OF_SAME_KIND = 0.35;
    private static final double IDLE_CLOCK = 0.15;
    private static final int LAST_STEPS = 4;
    /** A time is ahead or past by at least two hours. */
    private static final int GAP = 4;

    private final Draw draw;
    private final Language language;
    private final SamplePlan plan;
    private final List<Intent> intents;
    private final Binding binding;
    /** Trace sentences among the last four, in order; the first is the first need if the trace shows one. */
    final List<String> core = new ArrayList<>();
    /** Trace sentences before the core. */
    final List<String> earlier = new ArrayList<>();
    /** A need shown in the phone's notifications instead of the trace. */
    @Nullable
    String notification;
    /** The profile's wish that the phone not help with a topic. */
    @Nullable
    String wish;

    final DayTime now;
    /** Characters of the decisive sentences. */
    int relevant;
    /** Characters of the other sentences. */
    int decoys;
    /** Used entities, which distraction must not name. */
    final Set<String> names;

    final List<Recommendation> answers;

    Evidence(Draw draw, SamplePlan plan) {
        this.draw = draw;
        this.language = draw.language();
        this.plan = plan;
        this.intents = intents();
        this.binding = new Binding(draw, Set.of());
        List<String> templates = templates();
        boolean timed = templates.stream().anyMatch(template -> template.contains("{" + Binding.TIME + "}"));
        this.now = times(timed);
        boolean optional = needs(templates);
        if (plan.temper() == Temper.ALREADY_DONE) {
            core.add(relevant(binding.fill(draw.of(intents.get(0).done()))));
        }
        decoy();
        clock(timed);
        wish();
        this.answers = plan.temper().acts()
                ? new AnswerBook(draw, binding).answers(intents, optional, plan.mild())
                : List.of();
        this.names = binding.names();
    }

    private List<Intent> intents() {
        if (plan.calls() == 0) {
            return List.of();
        }
        if (plan.calls() > 1) {
            return draw.from(draw.library().combinationsOf(plan.scenario(), plan.calls()));
        }
        List<Intent> fitting = draw.library().intentsOf(plan.scenario()).stream()
                .filter(intent -> plan.temper() != Temper.WRONG_TIME || intent.canBeLate())
                .toList();
        return List.of(draw.from(fitting));
    }

    private List<String> templates() {
        return intents.stream()
                .map(intent -> draw.from(
                        plan.temper() == Temper.WRONG_TIME
                                ? intent.needs(language, true)
                                : intent.need().in(language)))
                .toList();
    }

    /** Sets the time that the needs name, if any, in the future or past as planned; returns the current time. */
    private DayTime times(boolean timed) {
        if (!timed) {
            return between(DayTime.FIRST, DayTime.LAST);
        }
        DayTime one = between(DayTime.FIRST, DayTime.LAST - GAP);
        DayTime other = between(one.halfHours() + GAP, DayTime.LAST);
        boolean late = plan.temper() == Temper.WRONG_TIME;
        binding.time(late ? one : other);
        return late ? other : one;
    }

    private DayTime between(int first, int last) {
        return new DayTime(draw.random().nextInt(first, last + 1));
    }

    /** Writes the needs; returns whether the first states its optional parameter. */
    private boolean needs(List<String> templates) {
        boolean optional = false;
        for (int i = 0; i < templates.size(); i++) {
            String sentence = binding.fill(templates.get(i));
            Intent.Extra extra = intents.get(i).optional();
            if (i == 0 && extra != null && plan.temper().acts() && draw.chance(OPTIONAL_STATED)) {
                sentence += binding.fill(extra.clause());
                optional = true;
            }
            core.add(relevant(sentence));
        }
        if (plan.temper().acts() && core.size() == 1 && plan.screenshots() == 0 && draw.chance(IN_NOTIFICATION)) {
            notification = language.of("通知栏：", "notification: ") + core.remove(0);
        }
        return optional;
    }

    private String relevant(String sentence) {
        relevant += length(sentence);
        return sentence;
    }

    /** Adds a completion of something else, worded like a completion of the need. */
    private void decoy() {
        if (plan.decoy() == Decoy.NONE) {
            return;
        }
        boolean before = plan.decoy() == Decoy.BEFORE;
        boolean sameKind = before && !intents.isEmpty() && draw.chance(DECOY_OF_SAME_KIND);
        Intent intent = sameKind ? intents.get(0) : draw.from(draw.library().intentsOf(otherScenario()));
        Binding others = new Binding(draw, binding.names());
        others.time(between(DayTime.FIRST, DayTime.LAST));
        String sentence = others.fill(draw.of(intent.done()));
        decoys += length(sentence);
        (before ? earlier : core).add(sentence);
    }

    /** Adds a sentence about the clock, always if a need names a time. */
    private void clock(boolean timed) {
        if (core.size() >= LAST_STEPS || !(timed || draw.chance(IDLE_CLOCK))) {
            return;
        }
        String sentence = draw.of(draw.library().sentences("clock")).replace("{now}", now.in(language));
        if (plan.temper() == Temper.WRONG_TIME) {
            core.add(relevant(sentence));
        } else {
            decoys += length(sentence);
            core.add(sentence);
        }
    }

    private String otherScenario() {
        Set<String> own = new HashSet<>(Set.of(plan.scenario()));
        intents.forEach(intent -> own.add(draw.library().scenarioOf(intent)));
        List<String> others = new ArrayList<>(draw.library().scenarios(false));
        others.removeAll(own);
        return draw.from(others);
    }

    private void wish() {
        if (plan.temper() == Temper.AGAINST_WISH) {
            wish = relevant(wish("wish", plan.scenario()));
        } else if (plan.mild()) {
            wish = relevant(wish("mild_wish", plan.scenario()));
        } else if (plan.otherWish()) {
            wish = wish("wish", otherScenario());
            decoys += length(wish);
        }
    }

    private String wish(String kind, String scenario) {
        String topic = draw.of(draw.library().wishTopics(scenario));
        return draw.of(draw.library().sentences(kind)).replace("{topic}", topic);
    }

    static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /** Writes the one to three valid answers of a sample from its needs. */
    record AnswerBook(Draw draw, Binding binding) {
        private static final int MAX_ANSWERS = 3;
        private static final double FIRST_NEED_ALONE = 0.35;
        private static final double ALTERNATIVE = 0.5;

        /**
         * Returns the valid answers, the most complete first.
         *
         * @param intents the needs in order
         * @param optionalStated whether the first need states its optional parameter
         * @param silenceToo whether silence is valid, too; it comes last
         */
        List<Recommendation> answers(List<Intent> intents, boolean optionalStated, boolean silenceToo) {
            List<Recommendation> answers = new ArrayList<>();
            answers.add(together(intents, optionalStated));
            if (optionalStated) {
                answers.add(together(intents, false));
            }
            Intent first = intents.get(0);
            Intent.Alternative other = first.alternative();
            if (intents.size() > 1 && draw.chance(FIRST_NEED_ALONE)) {
                answers.add(together(List.of(first), optionalStated));
            } else if (intents.size() == 1 && other != null && draw.chance(ALTERNATIVE)) {
                answers.add(new Recommendation(
                        binding.fill(other.instruction()), List.of(call(other.function(), other.parameters()))));
            }
            if (silenceToo) {
                answers.add(new Recommendation("", List.of()));
            }
            return answers.size() <= MAX_ANSWERS
                    ? answers
                    : List.of(answers.get(0), answers.get(1), answers.get(answers.size() - 1));
        }

        private Recommendation together(List<Intent> intents, boolean optionalStated) {
            List<FunctionCall> calls = new ArrayList<>();
            List<String> instructions = new ArrayList<>();
            for (int i = 0; i < intents.size(); i++) {
                Intent intent = intents.get(i);
                FunctionCall call = call(intent.function(), intent.parameters());
                calls.add(i == 0 && optionalStated ? withOptional(call, intent) : call);
                instructions.add(binding.fill(intent.instruction()));
            }
            return new Recommendation(String.join(draw.language().of("，再", ", then "), instructions), calls);
        }

        private FunctionCall withOptional(FunctionCall call, Intent intent) {
            Intent.Extra extra = intent.optional();
            if (extra == null) {
                return call;
            }
            Map<String, JsonNode> parameters = new LinkedHashMap<>(call.parameters());
            parameters.put(extra.parameter(), binding.value(extra.value()));
            return new FunctionCall(call.name(), parameters);
        }

        private FunctionCall call(String function, JsonNode templates) {
            Map<String, JsonNode> parameters = new LinkedHashMap<>();
            templates.properties().forEach(field -> parameters.put(field.getKey(), binding.value(field.getValue())));
            return new FunctionCall(function, parameters);
        }
    }
}
