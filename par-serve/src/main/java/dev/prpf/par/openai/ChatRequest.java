package dev.prpf.par.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.json.JsonRecords;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One request for an answer.
 *
 * @param id of the sample that it is about
 * @param turns oldest first
 * @param sampling how the answer is drawn
 * @param responseFormat what the answer must follow, or null for free text
 */
public record ChatRequest(String id, List<Turn> turns, SamplingSettings sampling, @Nullable ObjectNode responseFormat) {
    public ChatRequest {
        turns = List.copyOf(turns);
        if (turns.isEmpty()) {
            throw new IllegalArgumentException("a request needs at least one message");
        }
    }

    /** How messages name it. */
    String name() {
        return "sample " + id;
    }

    /** How many pictures it holds. */
    int pictures() {
        return Math.toIntExact(turns.stream().flatMap(Turn::pictures).count());
    }

    private record Message(String role, JsonNode content) {}

    private record Body(
            String model,
            List<Message> messages,
            double temperature,
            double topP,
            int maxTokens,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long seed,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable ObjectNode responseFormat,
            boolean stream) {}

    /**
     * The request as it is sent, pictures as data URLs; a field of {@code extra-body} replaces the protocol's, and a null one removes it.
     *
     * @throws PrpfException 65, naming the picture, if one is missing or cannot be decoded
     */
    public ObjectNode body(String model) {
        return body(model, SentPicture::url);
    }

    /**
     * What decides the answer, as text: the body with a picture's {@link SentPicture#key} for its data URL. Without pictures it is the body.
     *
     * @throws PrpfException 65, naming the picture, if one cannot be read
     */
    String identity(String model) {
        return body(model, SentPicture::key).toString();
    }

    private ObjectNode body(String model, Function<SentPicture, String> url) {
        ObjectNode body = (ObjectNode) JsonRecords.tree(new Body(
                model,
                turns.stream()
                        .map(turn -> new Message(turn.role(), turn.content(url)))
                        .toList(),
                sampling.temperature(),
                sampling.topP(),
                sampling.maxTokens(),
                sampling.seed(),
                responseFormat,
                false));
        sampling.extraBody().properties().forEach(field -> {
            if (field.getValue().isNull()) {
                body.remove(field.getKey());
            } else {
                body.set(field.getKey(), field.getValue());
            }
        });
        return body;
    }

    /**
     * One message.
     *
     * @param role {@code system}, {@code user} or {@code assistant}
     * @param parts text and pictures as the model reads them; texts side by side become one
     */
    public record Turn(String role, List<ChatPart> parts) {
        public Turn {
            parts = ChatPart.joined(parts);
        }

        /** A message of text alone. */
        public Turn(String role, String text) {
            this(role, List.of(new ChatPart.Text(text)));
        }

        /**
         * A prompt of one user's turn.
         *
         * @param system the system message before it, or null for none
         */
        public static List<Turn> prompt(@Nullable String system, List<ChatPart> user) {
            Turn turn = new Turn("user", user);
            return system == null ? List.of(turn) : List.of(new Turn("system", system), turn);
        }

        Stream<SentPicture> pictures() {
            return parts.stream().filter(ChatPart.Picture.class::isInstance).map(part -> ((ChatPart.Picture) part)
                    .picture());
        }

        /** The text of a message that has no picture; only such ones are asked of it. */
        public String text() {
            if (parts.size() == 1 && parts.get(0) instanceof ChatPart.Text text) {
                return text.text();
            }
            throw new IllegalStateException("a message of " + parts.size() + " parts, pictures among them, is no text");
        }

        /** A string, or the protocol's parts where pictures are among them. */
        private JsonNode content(Function<SentPicture, String> url) {
            if (pictures().findAny().isEmpty()) {
                return TextNode.valueOf(text());
            }
            ArrayNode content = JsonNodeFactory.instance.arrayNode();
            for (ChatPart part : parts) {
                if (part instanceof ChatPart.Picture shown) {
                    content.addObject()
                            .put("type", "image_url")
                            .putObject("image_url")
                            .put("url", url.apply(shown.picture()));
                } else {
                    content.addObject().put("type", "text").put("text", ((ChatPart.Text) part).text());
                }
            }
            return content;
        }
    }
}
