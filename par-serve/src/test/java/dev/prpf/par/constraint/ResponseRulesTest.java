package dev.prpf.par.constraint;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.FunctionPool;
import dev.prpf.data.FunctionSpec;
import dev.prpf.data.FunctionSpec.ParameterSpec;
import dev.prpf.data.Recommendation;
import dev.prpf.data.io.CallChecker;
import dev.prpf.data.io.ScenarioCatalogReader;
import dev.prpf.data.synth.SampleSynth;
import dev.prpf.data.synth.SynthSettings;
import dev.prpf.par.constraint.States.State;
import dev.prpf.par.response.ParResponse;
import dev.prpf.par.response.RandomResponses;
import dev.prpf.par.response.ResponseForm;
import dev.prpf.par.response.ResponseParser;
import dev.prpf.par.response.ResponseWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ResponseRulesTest {
    private static final FunctionSpec ALARM = new FunctionSpec(
            "set_alarm",
            "",
            List.of(),
            List.of(
                    new ParameterSpec("time", "", "string", true, null, null),
                    new ParameterSpec("count", "", "int", false, null, null)));

    @TempDir
    private static Path directory;

    private static Vocabulary vocabulary;

    @BeforeAll
    static void make() {
        vocabulary = new Vocabulary(directory, true, new ConstraintSettings(512, 512, 512, 512, 512, 3));
    }

    @AfterAll
    static void close() {
        vocabulary.close();
    }

    private static boolean accepted(String text, ResponseForm form, List<FunctionSpec> functions) {
        State state = vocabulary.constraints.walker(form, functions).state();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            State next = state.step(b & 0xFF);
            if (next == null) {
                return false;
            }
            state = next;
        }
        return state.complete();
    }

    /** A pool in which a response's calls are right. */
    private static List<FunctionSpec> poolOf(ParResponse.Parsed response) {
        Map<String, Map<String, ParameterSpec>> functions = new LinkedHashMap<>();
        for (Recommendation recommendation : response.recommendations()) {
            for (FunctionCall call : recommendation.calls()) {
                Map<String, ParameterSpec> parameters =
                        functions.computeIfAbsent(call.name(), name -> new LinkedHashMap<>());
                call.parameters()
                        .keySet()
                        .forEach(name -> parameters.put(name, new ParameterSpec(name, "", "any", false, null, null)));
            }
        }
        List<FunctionSpec> pool = new ArrayList<>();
        functions.forEach((name, parameters) ->
                pool.add(new FunctionSpec(name, "", List.of(), List.copyOf(parameters.values()))));
        return pool;
    }

    /** Where a pool names no fields, keys are written without escapes, and nothing in a value is null. */
    private static boolean plain(JsonNode value) {
        boolean plain = true;
        for (Map.Entry<String, JsonNode> field : value.properties()) {
            plain &= field.getKey().chars().noneMatch(c -> c < 0x20 || "\"\\<".indexOf(c) >= 0)
                    && !field.getKey().isBlank()
                    && field.getKey().getBytes(StandardCharsets.UTF_8).length <= 48;
        }
        for (JsonNode below : value) {
            plain &= !below.isNull() && plain(below);
        }
        return plain;
    }

    private static boolean plain(ParResponse.Parsed response) {
        return response.recommendations().stream()
                .flatMap(recommendation -> recommendation.calls().stream())
                .flatMap(call -> call.parameters().values().stream())
                .allMatch(ResponseRulesTest::plain);
    }

    @Test
    void everyRandomLegalResponseIsReachable() {
        RandomResponses random = new RandomResponses(21);
        int seen = 0;
        for (int i = 0; i < 1_000; i++) {
            ParResponse.Parsed response = random.next();
            if (plain(response)) {
                seen++;
                String text = ResponseWriter.write(response);
                assertThat(accepted(text, ResponseForm.ANY, poolOf(response)))
                        .as(text)
                        .isTrue();
                String bare = ResponseWriter.write(bare(response));
                assertThat(accepted(bare, ResponseForm.BARE, poolOf(response)))
                        .as(bare)
                        .isTrue();
            }
        }
        assertThat(seen).isGreaterThan(650);
    }

    @Test
    void whatIsAcceptedAfterDamageStillParsesAndValidates() {
        RandomResponses random = new RandomResponses(22);
        int rejected = 0;
        int accepted = 0;
        for (int i = 0; i < 1_500; i++) {
            ParResponse.Parsed response = random.next();
            List<FunctionSpec> pool = poolOf(response);
            String text = random.damaged(ResponseWriter.write(response));
            if (accepted(text, ResponseForm.ANY, pool)) {
                accepted++;
                ParResponse parsed = ResponseParser.parse(text, ResponseForm.ANY);
                assertThat(parsed).as(text).isInstanceOf(ParResponse.Parsed.class);
                for (Recommendation recommendation : ((ParResponse.Parsed) parsed).recommendations()) {
                    recommendation.calls().forEach(call -> assertThat(CallChecker.fatal(new FunctionPool(pool), call))
                            .as(text)
                            .isEmpty());
                }
            } else {
                rejected++;
            }
        }
        assertThat(accepted).isGreaterThan(75);
        assertThat(rejected).isGreaterThan(600);
    }

    @Test
    void answersOfSynthesisedSamples_areReachableWithTheShippedPool() {
        SampleSynth synth = new SampleSynth(SynthSettings.defaults(7, 400, "train"), ScenarioCatalogReader.shipped());
        List<FunctionSpec> pool = List.copyOf(Vocabulary.POOL.functions());
        int[] acting = {0};
        synth.samples().forEach(made -> {
            List<Recommendation> answers = made.sample().answers();
            for (Recommendation answer : answers == null ? List.<Recommendation>of() : answers) {
                acting[0] += answer.isSilence() ? 0 : 1;
                String text = ResponseWriter.write(
                        new ParResponse.Parsed(null, null, null, answer.isSilence() ? List.of() : List.of(answer)));
                assertThat(accepted(text, ResponseForm.BARE, pool)).as(text).isTrue();
            }
        });
        assertThat(acting[0]).isGreaterThan(100);
    }

    @ParameterizedTest
    @CsvSource({"ANY", "BARE", "TEXT", "SCREENS"})
    void silenceIsReachableInEveryFormAndVariant(ResponseForm form) {
        List<FunctionSpec> pool = List.of(ALARM);
        String silent = "<recommendations>[]</recommendations>";
        String thinking = "<thinking>想</thinking>";
        String selecting = "<thinking>想<function_selection>选</function_selection></thinking>";
        String summary = "<ui_summary>看</ui_summary>";
        boolean thinks = form != ResponseForm.BARE;
        boolean sees = form == ResponseForm.SCREENS || form == ResponseForm.ANY;
        assertThat(accepted("No recommendation", form, pool)).isTrue();
        assertThat(accepted("无推荐", form, pool)).isTrue();
        assertThat(accepted(silent, form, pool)).isTrue();
        assertThat(accepted(thinking + silent, form, pool)).isEqualTo(thinks);
        assertThat(accepted(selecting + silent, form, pool)).isEqualTo(thinks);
        assertThat(accepted(summary + silent, form, pool)).isEqualTo(sees);
        assertThat(accepted(summary + thinking + silent, form, pool)).isEqualTo(sees);
        assertThat(accepted(summary + selecting + silent, form, pool)).isEqualTo(sees);
    }

    private static String call(String parameters) {
        return "<recommendations>[{\"instruction\":\"提醒\",\"function\":[{\"name\":\"set_alarm\",\"parameters\":{"
                + parameters + "}}]}]</recommendations>";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"time\":\"8\"",
                "\"count\":-12,\"time\":\"8\"",
                "\"time\":\"\\u003c8\",\"count\":null",
                "\"time\":\"\\ud83d\\ude00\",\"count\":0",
                "\"time\":\"\u3001\""
            })
    void rightCallsAreReachable(String parameters) {
        assertThat(accepted(call(parameters), ResponseForm.BARE, List.of(ALARM)))
                .isTrue();
        assertThat(ResponseParser.parse(call(parameters), ResponseForm.BARE)).isInstanceOf(ParResponse.Parsed.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\"count\":1",
                "\"time\":\"\"",
                "\"time\":\" \u3000\u2003\\n\"",
                "\"time\":8",
                "\"time\":null",
                "\"time\":\"8\",\"time\":\"9\"",
                "\"time\":\"8\",\"count\":1.5",
                "\"time\":\"8\",\"count\":01",
                "\"time\":\"8\",\"other\":1",
                "\"time\":\"<8\"",
                "\"time\":\"\\ud83d\"",
                "\"time\":\"\\ude00\"",
                "\"time\":\"\\x\"",
                "\"time\":\"8\","
            })
    void wrongCallsAreNot(String parameters) {
        assertThat(accepted(call(parameters), ResponseForm.BARE, List.of(ALARM)))
                .isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<recommendations>[]",
                "<recommendations>[{}]</recommendations>",
                "<recommendations>[]</recommendations>x",
                "<thinking> \n</thinking><recommendations>[]</recommendations>",
                "<thinking>a<ui_summary></thinking><recommendations>[]</recommendations>",
                "<thinking>a</recommendations></thinking><recommendations>[]</recommendations>",
                "No recommendation.",
                "无推",
                "<recommendations>[{\"instruction\":\"a\",\"function\":[]}]</recommendations>",
                "<recommendations>[{\"instruction\":\"a\",\"function\":[{\"name\":\"set\",\"parameters\":{}}]}]</recommendations>"
            })
    void whatIsNoResponseIsRejected(String text) {
        for (ResponseForm form : ResponseForm.values()) {
            assertThat(accepted(text, form, List.of(ALARM)))
                    .as(form + " " + text)
                    .isFalse();
        }
    }

    @Test
    void anActingResponseNeedsTheReasoningOfItsForm() {
        String acting = call("\"time\":\"8\"");
        String thinking = "<thinking>a<function_selection>b</function_selection></thinking>";
        List<FunctionSpec> pool = List.of(ALARM);
        assertThat(accepted(acting, ResponseForm.TEXT, pool)).isFalse();
        assertThat(accepted("<thinking>a</thinking>" + acting, ResponseForm.TEXT, pool))
                .isFalse();
        assertThat(accepted(thinking + acting, ResponseForm.TEXT, pool)).isTrue();
        assertThat(accepted(thinking + acting, ResponseForm.SCREENS, pool)).isFalse();
        assertThat(accepted("<ui_summary>s</ui_summary>" + thinking + acting, ResponseForm.SCREENS, pool))
                .isTrue();
        assertThat(accepted("<ui_summary>s</ui_summary>" + thinking + acting, ResponseForm.TEXT, pool))
                .isFalse();
    }

    @Test
    void badUtf8IsRejectedWhereverFreeTextStands() {
        int[][] wrong = {
            {0xC0, 0x80}, {0xE0, 0x80, 0x80}, {0xED, 0xA0, 0x80}, {0xF4, 0x90, 0x80, 0x80}, {0x80}, {0xFF}, {0xE4, 0x41}
        };
        for (int[] bytes : wrong) {
            State state =
                    vocabulary.constraints.walker(ResponseForm.TEXT, List.of()).state();
            State at = state;
            for (byte b : "<thinking>a".getBytes(StandardCharsets.UTF_8)) {
                at = Objects.requireNonNull(at).step(b);
            }
            for (int b : bytes) {
                at = at == null ? null : at.step(b);
            }
            assertThat(at).isNull();
        }
    }

    private static ParResponse.Parsed bare(ParResponse.Parsed response) {
        return new ParResponse.Parsed(null, null, null, response.recommendations());
    }
}
