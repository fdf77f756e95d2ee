package dev.prpf.data.io;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.prpf.data.TraceStep;
import dev.prpf.data.Trajectory;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a trace: a string, {@code {"source": "text", "text": …}} or {@code {"source": "picture", "picture": path}}.
 */
final class TraceJson {
    private TraceJson() {}

    static @Nullable TraceStep read(JsonNode item, String path, Defect.Sink defects) {
        if (item.isTextual()) {
            return new TraceStep.Caption(item.textValue());
        }
        if (!item.isObject()) {
            defects.fatal(path, "field-type", item, "is no step: must be a string or an object with \"source\"");
            return null;
        }
        Fields fields = new Fields(item, path, defects);
        String source = fields.text("source");
        if (source == null) {
            return null;
        }
        return switch (source) {
            case "text" -> caption(fields.text("text"));
            case "picture" -> screenshot(fields);
            default -> {
                fields.fatal("source", "unknown-source", "must be \"text\" or \"picture\"");
                yield null;
            }
        };
    }

    private static @Nullable TraceStep caption(@Nullable String text) {
        return text == null ? null : new TraceStep.Caption(text);
    }

    private static @Nullable TraceStep screenshot(Fields fields) {
        String image = fields.text("picture");
        if (image != null && image.isBlank()) {
            fields.fatal("picture", "blank-text", "must be a path below the image root");
        }
        return image == null || image.isBlank() ? null : new TraceStep.Screenshot(image);
    }

    static ArrayNode write(Trajectory trajectory) {
        ArrayNode trace = JsonNodeFactory.instance.arrayNode();
        if (trajectory.screenshots().isEmpty()) {
            trajectory.texts().forEach(trace::add);
        } else {
            trajectory.steps().forEach(step -> write(step, trace));
        }
        return trace;
    }

    private static void write(TraceStep step, ArrayNode trace) {
        if (step instanceof TraceStep.Screenshot shot) {
            trace.addObject().put("source", "picture").put("picture", shot.path());
        } else if (step instanceof TraceStep.Caption caption) {
            trace.addObject().put("source", "text").put("text", caption.text());
        }
    }
}
