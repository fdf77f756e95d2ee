package dev.prpf.par.openai;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.config.Rule;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.IoFailure;
import dev.prpf.base.image.EncodedImage.ImageFormat;
import dev.prpf.base.image.Pixels;
import dev.prpf.base.json.JsonRecords;
import dev.prpf.data.Sample;
import dev.prpf.data.encode.ImageFolder;
import dev.prpf.data.encode.image.ImageBudget;
import dev.prpf.data.encode.image.ImageFile;
import dev.prpf.par.tokenizer.Piece;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request for one answer.
 *
 * @param id of its sample
 * @param turns oldest first
 * @param sampling sampling parameters
 * @param responseFormat format of the answer, or null for free text
 */
public record ChatRequest(String id, List<Turn> turns, SamplingSettings sampling, @Nullable ObjectNode responseFormat) {
    public ChatRequest {
        turns = List.copyOf(turns);
        if (turns.isEmpty()) {
            throw new IllegalArgumentException("a request needs at least one message");
        }
    }

    /** Name of the request in messages. */
    String name() {
        return "sample " + id;
    }

    int images() {
        return Math.toIntExact(turns.stream().flatMap(Turn::images).count());
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
            boolean stream,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable StreamOptions streamOptions) {}

    private record StreamOptions(boolean includeUsage) {}

    /**
     * Returns the body to send, with images as data URLs. A field of {@code extra-body} replaces the protocol's; a null field removes it.
     *
     * @throws PrpfException 65, naming the image, if one is missing or cannot be decoded
     */
    public ObjectNode body(String model) {
        return body(model, SentImage::url, false);
    }

    /** Returns {@link #body(String)} for an answer in server-sent events, with the usage in the last one. */
    ObjectNode streamedBody(String model) {
        return body(model, SentImage::url, true);
    }

    /**
     * Returns the text that identifies the answer: the body, with {@link SentImage#key} in place of an image's data URL.
     *
     * @throws PrpfException 65, naming the image, if one cannot be read
     */
    String identity(String model) {
        return body(model, SentImage::key, false).toString();
    }

    private ObjectNode body(String model, Function<SentImage, String> url, boolean stream) {
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
                stream,
                stream ? new StreamOptions(true) : null));
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
     * One message of a request.
     *
     * @param role {@code system}, {@code user} or {@code assistant}
     * @param parts text and images in reading order; adjacent texts are merged
     */
    public record Turn(String role, List<ChatPart> parts) {
        public Turn {
            parts = ChatPart.joined(parts);
        }

        /** Makes a message with text only. */
        public Turn(String role, String text) {
            this(role, List.of(new ChatPart.Text(text)));
        }

        /**
         * Makes a prompt with one user turn.
         *
         * @param system the system message before it, or null for none
         */
        public static List<Turn> prompt(@Nullable String system, List<ChatPart> user) {
            Turn turn = new Turn("user", user);
            return system == null ? List.of(turn) : List.of(new Turn("system", system), turn);
        }

        Stream<SentImage> images() {
            return parts.stream().filter(ChatPart.Image.class::isInstance).map(part -> ((ChatPart.Image) part).image());
        }

        /** Returns the text of a message without images; fails with images. */
        public String text() {
            if (parts.size() == 1 && parts.get(0) instanceof ChatPart.Text text) {
                return text.text();
            }
            throw new IllegalStateException("a message of " + parts.size() + " parts with images has no single text");
        }

        /** Returns a string, or the protocol's parts if the message has images. */
        private JsonNode content(Function<SentImage, String> url) {
            if (images().findAny().isEmpty()) {
                return TextNode.valueOf(text());
            }
            ArrayNode content = JsonNodeFactory.instance.arrayNode();
            for (ChatPart part : parts) {
                if (part instanceof ChatPart.Image shown) {
                    content.addObject()
                            .put("type", "image_url")
                            .putObject("image_url")
                            .put("url", url.apply(shown.image()));
                } else {
                    content.addObject().put("type", "text").put("text", ((ChatPart.Text) part).text());
                }
            }
            return content;
        }
    }

    /** A part of a message: text, or an image between texts. */
    public sealed interface ChatPart {
        record Text(String text) implements ChatPart {}

        /** An image, sent within the request. */
        record Image(SentImage image) implements ChatPart {}

        /** Merges adjacent texts and drops empty ones; returns one empty text if nothing remains. */
        static List<ChatPart> joined(List<ChatPart> parts) {
            List<ChatPart> joined = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            for (ChatPart part : parts) {
                if (part instanceof Text more) {
                    text.append(more.text());
                } else {
                    flush(text, joined);
                    joined.add(part);
                }
            }
            flush(text, joined);
            return joined.isEmpty() ? List.of(new Text("")) : List.copyOf(joined);
        }

        private static void flush(StringBuilder text, List<ChatPart> to) {
            if (!text.isEmpty()) {
                to.add(new Text(text.toString()));
                text.setLength(0);
            }
        }
    }

    /**
     * The sampling parameters of answers; all are sent, so that a server's defaults have no influence.
     *
     * @param temperature divides the logits; 0 takes the likeliest token
     * @param topP draws from the likeliest tokens up to this mass; 1 for all
     * @param maxTokens maximum tokens of an answer
     * @param seed seed of the draws, for servers that support it; null sends none
     * @param extraBody further fields of the request, such as {@code chat_template_kwargs} or {@code top_k}; an object. They override the other
     *     fields, and a null value removes one
     */
    public record SamplingSettings(
            double temperature, double topP, int maxTokens, @Nullable Long seed, JsonNode extraBody) {
        public SamplingSettings {
            Rule.require(temperature >= 0, "temperature", temperature, "at least 0");
            Rule.require(topP > 0 && topP <= 1, "top-p", topP, "in (0, 1]");
            Rule.require(maxTokens >= 1, "max-tokens", maxTokens, "at least 1");
            Rule.require(extraBody.isObject(), "extra-body", extraBody, "a mapping, {} for none");
            for (String ours : List.of("model", "messages", "stream", "n")) {
                if (extraBody.has(ours)) {
                    throw new IllegalArgumentException(
                            "extra-body must not hold \"" + ours + "\", which is set elsewhere");
                }
            }
        }
    }

    /**
     * Converts a prompt's pieces to the parts of a message, with images in place and without control tokens in texts.
     *
     * @param images the folder of the screenshots
     * @param maxVisualTokens maximum of a screenshot, which is scaled down to it; null to send images unscaled
     */
    public record PromptParts(ImageFolder images, @Nullable Integer maxVisualTokens) {
        /**
         * Returns the parts in the prompt's order.
         *
         * @param pieces with an image for each of the sample's screenshots, or no image at all
         * @param shown the sample in the form that the prompt shows
         * @throws PrpfException 2 without a folder for the screenshots, 65 for one outside it
         */
        public List<ChatPart> of(List<Piece> pieces, Sample shown) {
            int count = Piece.images(pieces);
            List<ImageFile> files =
                    count == 0 ? List.of() : images.imagesOf(shown).toList();
            if (files.size() != count) {
                throw new IllegalArgumentException(
                        "a prompt with " + count + " images of " + files.size() + " screenshots");
            }
            Iterator<ImageFile> next = files.iterator();
            List<ChatPart> parts = new ArrayList<>();
            for (Piece piece : pieces) {
                parts.add(
                        piece.standsForImage()
                                ? image(next.next())
                                : new ChatPart.Text(Piece.textForOthers(List.of(piece))));
            }
            return ChatPart.joined(parts);
        }

        /** Returns an image part with the token budget. */
        public ChatPart image(ImageFile image) {
            return new ChatPart.Image(new SentImage(image, maxVisualTokens));
        }
    }

    /**
     * An image of a request. It is not kept in memory, but read when the request is identified and when it is sent.
     *
     * @param image its file or content
     * @param maxTokens maximum by {@link ImageBudget}; null to send the image unscaled
     */
    public record SentImage(ImageFile image, @Nullable Integer maxTokens) {
        public SentImage {
            Rule.require(maxTokens == null || maxTokens > 0, "max-visual-tokens", maxTokens, "at least 1 or null");
        }

        /** Returns the identity of the sent image: the SHA-256 of its file, and the budget. */
        String key() {
            String content = AtomicFiles.sha256(bytes());
            return maxTokens == null ? content : content + ":" + maxTokens;
        }

        /**
         * Returns the image as a data URL. A PNG or JPEG within the budget is checked by decoding and sent unchanged. Other images are sent as
         * PNG, scaled down to the budget. EXIF rotation is applied, since servers may ignore it.
         *
         * @throws PrpfException 65, naming the image, if it is missing, not an image, too large, or cannot be decoded
         */
        String url() {
            byte[] bytes = bytes();
            ImageFormat format = ImageFormat.of(bytes);
            Pixels.Size size = image.size();
            Pixels.Size fitting = fitting(size);
            boolean common = format == ImageFormat.PNG || format == ImageFormat.JPEG;
            boolean unchanged = common && fitting.equals(size) && image.upright();
            Pixels decoded = image.read();
            byte[] sent = unchanged ? bytes : ImageBudget.png(decoded, fitting);
            return "data:image/" + (unchanged ? format : ImageFormat.PNG) + ";base64,"
                    + Base64.getEncoder().encodeToString(sent);
        }

        private Pixels.Size fitting(Pixels.Size size) {
            try {
                return ImageBudget.fitting(size, maxTokens);
            } catch (InvalidDataException e) {
                throw e.at(image.toString());
            }
        }

        private byte[] bytes() {
            image.requirePresent();
            if (image.content() != null) {
                return image.content().bytes();
            }
            Path file = Objects.requireNonNull(image.file());
            return IoFailure.whileReading(file, () -> Files.readAllBytes(file));
        }
    }
}
