package dev.prpf.par.tokenizer;

import java.util.ArrayList;
import java.util.List;

/** Collects the pieces of a prompt. */
public final class PieceList {
    private final List<Piece> pieces = new ArrayList<>();

    /** Adds text of a template's own. */
    public PieceList control(String text) {
        if (!text.isEmpty()) {
            pieces.add(Piece.control(text));
        }
        return this;
    }

    /** Adds a picture. */
    public PieceList picture() {
        pieces.add(Piece.PICTURE);
        return this;
    }

    /** Adds text from outside. */
    public PieceList plain(String text) {
        if (!text.isEmpty()) {
            pieces.add(Piece.plain(text));
        }
        return this;
    }

    /** Adds pieces as they are. */
    public PieceList all(List<Piece> more) {
        pieces.addAll(more);
        return this;
    }

    /** What was added so far. */
    public List<Piece> build() {
        return List.copyOf(pieces);
    }
}
