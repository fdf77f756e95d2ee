package dev.prpf.par.tokenizer;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A stretch of text and whether control tokens are recognised in it. Templates are control, everything that comes from a record, a screen or
 * a user is plain, so that no text can forge a turn's end or a tag.
 *
 * @param control whether control tokens are recognised
 * @param text the text
 */
public record Piece(boolean control, String text) {
    /** What stands for one token of a picture, as Qwen's models from Qwen2-VL on write it. */
    public static final String IMAGE_PAD = "<|image_pad|>";

    /** A picture: its place is a piece of its own, so that no text can forge one. */
    public static final Piece PICTURE = control("<|vision_start|>" + IMAGE_PAD + "<|vision_end|>");

    /** Written by us: turn markers, field markers, tags. */
    public static Piece control(String text) {
        return new Piece(true, text);
    }

    /** From outside: encoded without control tokens. */
    public static Piece plain(String text) {
        return new Piece(false, text);
    }

    /** Whether a picture stands here. */
    public boolean standsForPicture() {
        return equals(PICTURE);
    }

    /** How many pictures stand in them. */
    public static int pictures(List<Piece> pieces) {
        return (int) pieces.stream().filter(Piece::standsForPicture).count();
    }

    /** The pieces' text, joined. */
    public static String text(List<Piece> pieces) {
        return pieces.stream().map(Piece::text).collect(Collectors.joining());
    }

    /**
     * The text for servers and trainers that find control tokens in a text by themselves: what comes from outside must not hold any, so every
     * {@code <|} in plain pieces becomes {@code < |}.
     */
    public static String textForOthers(List<Piece> pieces) {
        return pieces.stream()
                .map(piece -> piece.control() ? piece.text() : piece.text().replace("<|", "< |"))
                .collect(Collectors.joining());
    }
}
