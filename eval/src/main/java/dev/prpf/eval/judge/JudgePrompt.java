package dev.prpf.eval.judge;

import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.Language;
import dev.prpf.data.Sample;
import dev.prpf.par.openai.ChatRequest;
import dev.prpf.par.openai.ChatRequest.ChatPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The prompt that asks a model whether two call sequences are functionally equivalent, after ProactiveMobile's rule (Section 4.2.1: "semantically
 * and functionally identical to a valid ground truth", not equal strings) and PRPF's (B.3: functions and arguments semantically
 * consistent). Neither paper prints its rubric. The wording is ours, in {@code prompts.yaml}.
 *
 * @param rubric the rules, with the material after them
 * @param task form of the answer
 * @param repair after an invalid answer, with {@code %s} for the reason
 * @param screenshot marks an image that the judge does not see
 * @param numbered marks an image that the judge sees, with {@code %d} for its number
 */
record JudgePrompt(String rubric, String task, String repair, String screenshot, String numbered) {
    /** Changes with the wording, so that a judge's id names its rubric. */
    static final String VERSION = "3";

    private static final Languages LANGUAGES = StrictYaml.shipped("prompts.yaml", Languages.class);

    private record Languages(JudgePrompt zh, JudgePrompt en) {}

    /** Returns the prompt in a language; null for that of the sample and its functions. */
    static JudgePrompt of(@Nullable Language language, Judge.Case one) {
        String text = one.sample().context().texts()
                + one.sample().trajectory().texts().toString()
                + functions(one).stream().map(FunctionSpec::description).toList();
        return (language == null ? Language.ofText(text) : language).of(LANGUAGES.zh, LANGUAGES.en);
    }

    private record Material(
            Context context, List<FunctionSpec> functions, List<FunctionCall> answer, List<FunctionCall> prediction) {}

    private record Context(String profile, String phone, String world, List<String> trace) {}

    /**
     * Builds the single user turn: the shared rubric, then the shown screenshots, each after its number in the trace.
     *
     * @param shown images by screenshot number, counted from 1; empty if the judge sees none
     */
    List<ChatRequest.Turn> turns(Judge.Case one, SortedMap<Integer, ChatPart> shown) {
        Context context = context(one.sample(), shown.keySet());
        Material material = new Material(context, functions(one), one.answer(), one.predicted());
        List<ChatPart> parts = new ArrayList<>(List.of(new ChatPart.Text(rubric)));
        shown.forEach((number, image) -> {
            parts.add(new ChatPart.Text(numbered.formatted(number) + "\n"));
            parts.add(image);
            parts.add(new ChatPart.Text("\n"));
        });
        parts.add(new ChatPart.Text(safe(JsonRecords.write(material)) + task));
        return ChatRequest.Turn.prompt(null, parts);
    }

    /** Appends the invalid answer and the reason why it is no verdict. */
    List<ChatRequest.Turn> repair(List<ChatRequest.Turn> turns, String answer, String why) {
        return Stream.concat(
                        turns.stream(),
                        Stream.of(
                                new ChatRequest.Turn("assistant", safe(answer)),
                                new ChatRequest.Turn("user", repair.formatted(safe(why)))))
                .toList();
    }

    private Context context(Sample sample, Set<Integer> shown) {
        int[] number = new int[1];
        return new Context(
                sample.context().profile(),
                sample.context().phone(),
                sample.context().world(),
                sample.trajectory().steps().stream()
                        .map(step -> step.text(
                                image -> shown.contains(++number[0]) ? numbered.formatted(number[0]) : screenshot))
                        .toList());
    }

    /** Returns the functions of both sequences that the pool defines, without duplicates. */
    private static List<FunctionSpec> functions(Judge.Case one) {
        return Stream.concat(one.answer().stream(), one.predicted().stream())
                .map(FunctionCall::name)
                .distinct()
                .map(one.pool()::get)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .toList();
    }

    /** Escapes "<", so that outside text cannot write a control token or a reasoning tag; JSON decodes it unchanged. */
    private static String safe(String text) {
        return text.replace("<", "\\u003c");
    }
}
