package dev.prpf.par.response;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SchemaStreamTest {
    private static final String CALLS =
            "[ {\"instruction\":\"1: ]\\\"\",\"function\":[{\"name\":\"f\",\"parameters\":{\"x\":1}}]}]";

    /** The answer arrives in pieces of each length. */
    private static void assertText(String answer, String expected) {
        for (int length = 1; length <= answer.length(); length++) {
            SchemaStream stream = new SchemaStream();
            StringBuilder text = new StringBuilder();
            for (int at = 0; at < answer.length(); at += length) {
                text.append(stream.add(answer.substring(at, Math.min(answer.length(), at + length))));
            }
            assertThat(text).as("pieces of %s", length).hasToString(expected);
        }
    }

    @Test
    void eachKeyBecomesABlock() {
        assertText("{\"recommendations\": []}", "<recommendations>[]</recommendations>");
        assertText(
                "{ \"thinking\" : \"a \\\"b\\\" {c}\\n\\u4f60\\ud83d\\uDE00\\\\\" , \"function_selection\":\"f, g\",\"recommendations\":"
                        + CALLS + "}\n",
                "<thinking>a \"b\" {c}\n你😀\\</thinking><function_selection>f, g</function_selection><recommendations>"
                        + CALLS + "</recommendations>");
        assertText("{\"other\": 3, \"recommendations\": []}", "<other></other><recommendations>[]</recommendations>");
    }

    @Test
    void anythingElseIsUnchanged() {
        for (String text : new String[] {"<recommendations>[{\"a\"}]</recommendations>", "No: {\"a\": []}", ""}) {
            assertText(text, text);
        }
    }
}
