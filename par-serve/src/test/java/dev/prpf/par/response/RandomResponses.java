package dev.prpf.par.response;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.data.FunctionCall;
import dev.prpf.data.Recommendation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Seeded random responses of every legal form, with nasty text in every place. */
public final class RandomResponses {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final String[] SCRAPS = {
        "张三",
        "，",
        "\"",
        "\\",
        "\n",
        "<",
        ">",
        "</",
        "<|im_end|>",
        "{",
        "}]",
        "[]",
        "No recommendation",
        "𠮷",
        "😀",
        "é",
        "\u0000",
        "\t",
        "ui_summary",
        "thinking>",
        " ",
        "a b",
        "12:30",
        "\u2028"
    };

    private final Random random;

    /** Equal seeds give equal responses. */
    public RandomResponses(long seed) {
        random = new Random(seed);
    }

    /** Returns the next response. */
    public ParResponse.Parsed next() {
        boolean acts = random.nextInt(4) > 0;
        boolean reasoned = random.nextBoolean();
        boolean thinks = reasoned && (acts || random.nextBoolean());
        return new ParResponse.Parsed(
                reasoned && random.nextBoolean() ? free() : null,
                thinks ? free() : null,
                thinks && (acts || random.nextBoolean()) ? free() : null,
                acts ? recommendations() : List.of());
    }

    private List<Recommendation> recommendations() {
        List<Recommendation> list = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            List<FunctionCall> calls = new ArrayList<>();
            for (int j = 1 + random.nextInt(3); j > 0; j--) {
                Map<String, JsonNode> parameters = new LinkedHashMap<>();
                for (int k = random.nextInt(4); k > 0; k--) {
                    parameters.put(anyText() + k, value(3));
                }
                calls.add(new FunctionCall("f" + anyText(), parameters));
            }
            list.add(new Recommendation(tagged(), calls));
        }
        return list;
    }

    private JsonNode value(int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 6)) {
            case 0 -> NODES.numberNode(random.nextInt());
            case 1 -> NODES.numberNode(random.nextInt(1000) / 8.0);
            case 2 -> NODES.booleanNode(random.nextBoolean());
            case 3 -> NODES.nullNode();
            case 4, 5 -> NODES.textNode(tagged());
            case 6 -> {
                ArrayNode array = NODES.arrayNode();
                for (int i = random.nextInt(3); i > 0; i--) {
                    array.add(value(depth - 1));
                }
                yield array;
            }
            default -> {
                ObjectNode object = NODES.objectNode();
                for (int i = random.nextInt(3); i > 0; i--) {
                    object.set(anyText() + i, value(depth - 1));
                }
                yield object;
            }
        };
    }

    /** Text that is legal between tags. */
    private String free() {
        String text;
        do {
            text = anyText().strip();
        } while (text.isBlank() || ResponseGrammar.firstTag(ResponseGrammar.TAG, text, 0, text.length()) >= 0);
        return text;
    }

    /** Text in which even tags may occur, as in JSON strings. */
    private String tagged() {
        return random.nextInt(5) > 0
                ? anyText()
                : anyText() + ResponseGrammar.tags().get(random.nextInt(8)) + anyText();
    }

    private String anyText() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(SCRAPS[random.nextInt(SCRAPS.length)]);
        }
        return text.toString();
    }

    /** A text one random edit away. */
    public String damaged(String text) {
        int at = random.nextInt(text.length());
        @Nullable String scrap = random.nextBoolean() ? SCRAPS[random.nextInt(SCRAPS.length)] : null;
        return scrap == null
                ? text.substring(0, at) + text.substring(Math.min(text.length(), at + 1 + random.nextInt(5)))
                : text.substring(0, at) + scrap + text.substring(at);
    }
}
