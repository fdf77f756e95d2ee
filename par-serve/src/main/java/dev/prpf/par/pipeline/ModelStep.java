package dev.prpf.par.pipeline;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.prpf.base.config.EnumName;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.Resource;
import dev.prpf.base.json.EmbeddedJson;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Language;
import dev.prpf.data.io.FunctionCallJson;
import dev.prpf.par.cascade.RemoteReasoner.RemoteSettings.StructuredOutput;
import dev.prpf.par.tokenizer.Piece;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One kind of question to a model.
 *
 * @param name its prompt is the resource {@code NAME.zh.txt} or {@code NAME.en.txt}, with values in braces
 * @param type the answer: a JSON object with the record's components, and {@code item}, which repeats the item's id
 * @param prose whether the answer must be written in the records' language
 */
record ModelStep<A extends Record>(String name, Class<A> type, boolean prose) {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Pattern PLACE = Pattern.compile("\\{([a-z]+)}");
    private static final Pattern FENCED = Pattern.compile("(?s)\\s*```\\w*\\s*(\\{.*})\\s*```\\s*");
    private static final String ITEM = "item";
    private static final int FEW_LETTERS = 20;

    /** Returns the prompt, which ends with the schema of the answer. {@code <|} becomes {@code < |}, as for servers. */
    String prompt(Language language, String item, Map<String, String> values) {
        String suffix = "." + EnumName.of(language) + ".txt";
        String text = Resource.text(ModelStep.class, name + suffix).strip() + "\n\n"
                + Resource.text(ModelStep.class, "answer" + suffix).strip();
        String prompt = PLACE.matcher(text)
                .replaceAll(place -> Matcher.quoteReplacement(
                        place.group(1).equals("schema")
                                ? schema(item).toString()
                                : Objects.requireNonNull(values.get(place.group(1)), place.group(1))));
        return Piece.plain(prompt).forOthers();
    }

    /** Returns the protocol's {@code response_format} for a server that enforces the schema, else null. */
    @Nullable
    ObjectNode format(StructuredOutput form, String item) {
        return form.format(name, () -> schema(item));
    }

    /**
     * Reads an answer; a code fence around it is removed.
     *
     * @throws InvalidDataException with a message for the model
     */
    A read(Language language, String item, String answer) {
        Matcher fenced = FENCED.matcher(answer);
        JsonNode json = EmbeddedJson.read(fenced.matches() ? fenced.group(1) : answer.strip());
        if (!(json instanceof ObjectNode object)) {
            throw new InvalidDataException("the answer is not one JSON object, or was cut");
        }
        JsonNode of = object.remove(ITEM);
        if (of == null || !of.asText().equals(item)) {
            throw new InvalidDataException("\"item\" is " + of + ", must be \"" + item + "\"");
        }
        String text = FunctionCallJson.leaves(object).map(JsonNode::asText).collect(Collectors.joining(" "));
        if (prose
                && text.codePoints().filter(Character::isLetter).count() >= FEW_LETTERS
                && Language.ofText(text) != language) {
            throw new InvalidDataException("the answer must be in " + language.of("Chinese", "English"));
        }
        return JsonRecords.read("the answer", name + " answer", object.toString(), type);
    }

    private ObjectNode schema(String item) {
        ObjectNode schema = schema(type);
        ObjectNode properties = JSON.objectNode();
        properties.putObject(ITEM).putArray("enum").add(item);
        properties.setAll((ObjectNode) schema.get("properties"));
        schema.set("properties", properties);
        schema.withArray("required").insert(0, ITEM);
        return schema;
    }

    private static ObjectNode schema(Type type) {
        if (type instanceof ParameterizedType generic && generic.getRawType() == List.class) {
            return JSON.objectNode().put("type", "array").set("items", schema(generic.getActualTypeArguments()[0]));
        }
        if (type instanceof Class<?> record && record.isRecord()) {
            ObjectNode schema = JSON.objectNode().put("type", "object");
            ObjectNode properties = schema.putObject("properties");
            for (RecordComponent component : record.getRecordComponents()) {
                properties.set(component.getName(), schema(component.getGenericType()));
                schema.withArray("required").add(component.getName());
            }
            return schema.put("additionalProperties", false);
        }
        String simple = type == String.class
                ? "string"
                : type == Integer.class ? "integer" : type == boolean.class ? "boolean" : "object";
        return JSON.objectNode().put("type", simple);
    }
}
