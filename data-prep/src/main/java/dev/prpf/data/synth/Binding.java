package dev.prpf.data.synth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.data.Language;
import dev.prpf.data.synth.SynthLibrary.Entity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Chooses the entities of one generated sample, such as names and times, and fills them into templates. A slot keeps the
 * entity of its first use, so that sentence and answer name the same thing. In values, {@code {slot#}} is the entity's
 * enumeration value and {@code {slot!}} its number.
 */
final class Binding {
    static final String TIME = "time";

    private static final Pattern SLOT = Pattern.compile("\\{([a-z_]+)(2?)([#!]?)\\}");

    private final Draw draw;
    private final Language language;
    private final Set<String> avoided;
    private final Map<String, Entity> entities = new HashMap<>();

    /** @param avoided names excluded from all slots */
    Binding(Draw draw, Set<String> avoided) {
        this.draw = draw;
        this.language = draw.language();
        this.avoided = avoided;
    }

    void time(DayTime time) {
        String text = time.in(language);
        entities.put(TIME, new Entity(text, text, null));
    }

    Set<String> names() {
        return entities.values().stream().map(entity -> entity.in(language)).collect(Collectors.toSet());
    }

    String fill(String template) {
        return SLOT.matcher(template).replaceAll(slot -> {
            Entity entity = entity(slot.group(1), slot.group(1) + slot.group(2));
            return Matcher.quoteReplacement(slot.group(3).equals("#") ? entity.value(language) : entity.in(language));
        });
    }

    /** Returns the wording in the sample's language with filled slots. */
    String fill(Intent.Wording wording) {
        return fill(wording.in(language));
    }

    private Entity entity(String vocabulary, String slot) {
        Entity known = entities.get(slot);
        if (known != null) {
            return known;
        }
        Set<String> taken = names();
        List<Entity> all = draw.library().vocabulary(vocabulary);
        List<Entity> free = new ArrayList<>(all);
        free.removeIf(entity -> taken.contains(entity.in(language)) || avoided.contains(entity.in(language)));
        Entity drawn = draw.from(free.isEmpty() ? all : free);
        entities.put(slot, drawn);
        return drawn;
    }

    /** Returns a parameter value with filled slots and the same shape. */
    JsonNode value(JsonNode template) {
        if (template instanceof ArrayNode list) {
            ArrayNode filled = JsonNodeFactory.instance.arrayNode();
            list.forEach(element -> filled.add(value(element)));
            return filled;
        }
        if (template instanceof ObjectNode fields) {
            ObjectNode filled = JsonNodeFactory.instance.objectNode();
            fields.properties().forEach(field -> filled.set(field.getKey(), value(field.getValue())));
            return filled;
        }
        return template.isTextual() ? text(template.textValue()) : template;
    }

    private JsonNode text(String template) {
        String filled = fill(template);
        return template.endsWith("!}") ? IntNode.valueOf(Integer.parseInt(filled)) : TextNode.valueOf(filled);
    }

    /**
     * A half hour of the day.
     *
     * @param halfHours since midnight; {@link #FIRST} to {@link #LAST}
     */
    record DayTime(int halfHours) {
        /** Seven in the morning. */
        static final int FIRST = 14;
        /** Half past ten in the evening. */
        static final int LAST = 45;

        String in(Language language) {
            int hour = halfHours / 2;
            boolean half = halfHours % 2 == 1;
            int shown = hour > 12 ? hour - 12 : hour;
            return language.of(
                    part(hour) + shown + (half ? "点半" : "点"),
                    shown + (half ? ":30" : "") + (hour < 12 ? " am" : " pm"));
        }

        /** Returns the time as in a status bar. */
        String digits() {
            return String.format(java.util.Locale.ROOT, "%02d:%02d", halfHours / 2, halfHours % 2 * 30);
        }

        private static String part(int hour) {
            if (hour < 9) {
                return "早上";
            }
            if (hour < 12) {
                return "上午";
            }
            if (hour == 12) {
                return "中午";
            }
            return hour < 18 ? "下午" : "晚上";
        }
    }
}
