package dev.prpf.par.tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A piece of text in which control tokens are recognised or not. Templates are control pieces; text from records, screenshots and users is
 * plain, so that it cannot forge a turn's end or a tag.
 *
 * @param control whether control tokens are recognised
 */
public record Piece(boolean control, String text) {
    /** Placeholder of one image token, in the format of Qwen2-VL and later. */
    public static final String IMAGE_PAD = "<|image_pad|>";

    /** An image placeholder, a piece of its own, so that no text can forge one. */
    public static final Piece IMAGE = control("<|vision_start|>" + IMAGE_PAD + "<|vision_end|>");

    /** Makes a control piece: turn markers, field markers, tags. */
    public static Piece control(String text) {
        return new Piece(true, text);
    }

    /** Makes a plain piece for external text, encoded without control tokens. */
    public static Piece plain(String text) {
        return new Piece(false, text);
    }

    /** Returns whether this is an image placeholder. */
    public boolean standsForImage() {
        return equals(IMAGE);
    }

    /** Counts the image placeholders in pieces. */
    public static int images(List<Piece> pieces) {
        return (int) pieces.stream().filter(Piece::standsForImage).count();
    }

    public static String text(List<Piece> pieces) {
        return pieces.stream().map(Piece::text).collect(Collectors.joining());
    }

    /**
     * Returns the text for servers and trainers that parse control tokens themselves: every {@code <|} in plain pieces becomes {@code < |},
     * so that they hold none.
     */
    public static String textForOthers(List<Piece> pieces) {
        return pieces.stream().map(Piece::forOthers).collect(Collectors.joining());
    }

    /** Returns the piece's text as in {@link #textForOthers}. */
    public String forOthers() {
        return control ? text : text.replace("<|", "< |");
    }

    /** A builder that collects the pieces of a prompt. */
    public static final class PieceList {
        private final List<Piece> pieces = new ArrayList<>();

        /** Adds text of a template. */
        public PieceList control(String text) {
            if (!text.isEmpty()) {
                pieces.add(Piece.control(text));
            }
            return this;
        }

        /** Adds an image placeholder. */
        public PieceList image() {
            pieces.add(Piece.IMAGE);
            return this;
        }

        /** Adds plain text from outside. */
        public PieceList plain(String text) {
            if (!text.isEmpty()) {
                pieces.add(Piece.plain(text));
            }
            return this;
        }

        /** Adds pieces without changes. */
        public PieceList all(List<Piece> more) {
            pieces.addAll(more);
            return this;
        }

        /** Returns the pieces added so far. */
        public List<Piece> build() {
            return List.copyOf(pieces);
        }
    }
}
