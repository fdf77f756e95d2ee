package dev.prpf.par.tokenizer;

import java.util.ArrayList;
import java.util.List;

/** A builder that collects the pieces of a prompt. */
public final class PieceList {
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
