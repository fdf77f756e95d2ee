package dev.prpf.data.synth;

import dev.prpf.data.DeviceContext;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.data.Trajectory;
import dev.prpf.data.Trajectory.TraceStep;
import dev.prpf.data.synth.Binding.DayTime;
import dev.prpf.data.synth.SamplePlanner.SamplePlan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Composes a sample from its evidence and the planned amount of distraction. */
final class SampleComposer {
    private static final double MENTION = 0.2;
    private static final int LONGEST_PROFILE = 6;
    private static final int LONGEST_TRACE = 8;
    private static final int LEAST_TEXT_DISTRACTION = 3;
    private static final int LAST_STEPS = 4;
    /** Nominal number of relevant characters of a sample without relevant text. */
    private static final int NOMINAL_RELEVANT = 22;
    /** Weights of 0, 1, 2 and 3 idle steps within or after the evidence. */
    private static final double[] IDLE = {0.45, 0.30, 0.17, 0.08};
    /** Weights of profile, phone, world and trace for further distraction. */
    private static final double[] WEIGHTS = {0.22, 0.28, 0.20, 0.30};

    private static final List<String> FIELDS = List.of("profile", "phone", "world", "trace");

    private final Draw draw;
    private final Language language;
    private final SamplePlan plan;
    private final Evidence evidence;
    private final DistractorBank bank;
    /** The sentences so far by field; for the trace only the idle ones. */
    private final Map<String, List<String>> sentences = new HashMap<>();

    private final List<String> idle;
    private int distractors;

    SampleComposer(Draw draw, SamplePlan plan) {
        this.draw = draw;
        this.language = draw.language();
        this.plan = plan;
        this.evidence = new Evidence(draw, plan);
        this.bank = new DistractorBank(draw);
        this.distractors = evidence.decoys;
        FIELDS.forEach(field -> sentences.put(field, new ArrayList<>()));
        this.idle = of("trace");
    }

    SynthSample compose(String id, String split) {
        begin();
        distract();
        List<String> steps = trace();
        List<SynthSample.Screen> screens = plan.screenshots() == 0 ? List.of() : screens(id, steps);
        Trajectory trajectory = screens.isEmpty()
                ? Trajectory.ofTexts(steps)
                : new Trajectory(screens.stream()
                        .<TraceStep>map(screen -> new TraceStep.Screenshot(screen.path()))
                        .toList());
        DeviceContext context = new DeviceContext(
                language.paragraph(of("profile")), language.paragraph(of("phone")), language.paragraph(of("world")));
        Sample sample =
                new Sample(id, plan.difficulty(), split, plan.scenario(), context, trajectory, evidence.answers);
        return new SynthSample(sample, plan.temper(), evidence.relevant, distractors, screens);
    }

    DayTime now() {
        return evidence.now;
    }

    /** Adds the sentences that every sample has. */
    private void begin() {
        if (evidence.wish != null) {
            of("profile").add(evidence.wish);
        }
        if (evidence.notification != null) {
            of("phone").add(evidence.notification);
        }
        String now = draw.of(draw.library().sentences("now"));
        of("world").add(counted(now.replace("{now}", evidence.now.in(language))));
        List.of("profile", "profile", "phone", "phone", "world").forEach(this::add);
        int steps = plan.screenshots() == 0
                ? LEAST_TEXT_DISTRACTION
                : plan.screenshots() - evidence.core.size() - evidence.earlier.size();
        for (int i = 0; i < steps; i++) {
            add("trace");
        }
        if (plan.screenshots() == 0 && draw.chance(MENTION)) {
            Binding others = new Binding(draw, evidence.names);
            idle.add(counted(others.fill(draw.of(draw.library().sentences("mention")))));
        }
    }

    private void add(String field) {
        of(field).add(counted(bank.sentence(field)));
    }

    private List<String> of(String field) {
        return Objects.requireNonNull(sentences.get(field));
    }

    private String counted(String sentence) {
        distractors += Evidence.length(sentence);
        return sentence;
    }

    private void distract() {
        double target = target();
        while (distractors < target) {
            String field = FIELDS.get(draw.weighted(WEIGHTS));
            boolean room =
                    switch (field) {
                        case "profile" -> of(field).size() < LONGEST_PROFILE;
                        case "trace" -> plan.screenshots() == 0 && length() < LONGEST_TRACE;
                        default -> true;
                    };
            if (room) {
                add(field);
            }
        }
    }

    /** Returns the target amount of distraction: a very short need gets as much as an ordinary one, within its maximum factor. */
    private double target() {
        int relevant = evidence.relevant;
        double ordinary = Math.max(NOMINAL_RELEVANT, relevant) * plan.factor();
        return relevant == 0 ? ordinary : Math.min(ordinary, relevant * plan.mostFactor());
    }

    private int length() {
        return idle.size() + evidence.core.size() + evidence.earlier.size();
    }

    /** Returns the trace: idle steps, then the evidence with some idle steps among the last four. */
    private List<String> trace() {
        List<String> tail = new ArrayList<>(evidence.core);
        int room = Math.min(Math.max(0, LAST_STEPS - tail.size()), idle.size());
        double[] weights = Arrays.copyOf(IDLE, Math.min(room, IDLE.length - 1) + 1);
        int within = draw.weighted(weights);
        for (int i = 0; i < within; i++) {
            String step = idle.remove(idle.size() - 1);
            tail.add(tail.isEmpty() ? 0 : draw.random().nextInt(1, tail.size() + 1), step);
        }
        List<String> steps = new ArrayList<>(idle);
        for (String sentence : evidence.earlier) {
            steps.add(draw.random().nextInt(Math.max(0, steps.size() - 2), steps.size() + 1), sentence);
        }
        steps.addAll(tail);
        return steps;
    }

    private List<SynthSample.Screen> screens(String id, List<String> steps) {
        List<SynthSample.Screen> screens = new ArrayList<>();
        List<String> whole = evidence.names.stream().sorted().toList();
        for (int i = 0; i < steps.size(); i++) {
            Set<String> filler = new LinkedHashSet<>();
            while (filler.size() < 3) {
                filler.add(draw.of(draw.library().slot("thing")));
            }
            screens.add(new SynthSample.Screen(
                    "images/" + id + "-" + i + ".png",
                    steps.get(i),
                    whole,
                    draw.of(draw.library().slot("tool")),
                    List.copyOf(filler),
                    evidence.now.digits(),
                    draw.random().nextLong(),
                    null));
        }
        return screens;
    }

    /** Draws distinct sentences of one sample that are unrelated to its need. */
    static final class DistractorBank {
        private static final Pattern SLOT = Pattern.compile("\\{([a-z]+)\\}");
        private static final int ATTEMPTS = 40;

        private final Draw draw;
        private final Set<String> used = new HashSet<>();

        DistractorBank(Draw draw) {
            this.draw = draw;
        }

        /** Returns a new sentence for one of the fields {@code profile}, {@code phone}, {@code world} and {@code trace}. */
        String sentence(String field) {
            List<String> templates = draw.library().sentences(field).in(draw.language());
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                int drawn = draw.random().nextInt(templates.size());
                if (used.contains(field + drawn) && attempt < ATTEMPTS / 2) {
                    continue;
                }
                String sentence = fill(templates.get(drawn));
                if (used.add(sentence)) {
                    used.add(field + drawn);
                    return sentence;
                }
            }
            return fill(draw.from(templates));
        }

        String fill(String template) {
            return SLOT.matcher(template)
                    .replaceAll(slot ->
                            Matcher.quoteReplacement(draw.of(draw.library().slot(slot.group(1)))));
        }
    }
}
