package dev.prpf.par.prompt;

import dev.prpf.par.tokenizer.Piece;
import java.util.ArrayList;
import java.util.List;

/** Collects a prompt's pieces. */
final class PieceList {
    private final List<Piece> pieces = new ArrayList<>();

    PieceList control(String text) {
        pieces.add(Piece.control(text));
        return this;
    }

    PieceList plain(String text) {
        if (!text.isEmpty()) {
            pieces.add(Piece.plain(text));
        }
        return this;
    }

    PieceList all(List<Piece> more) {
        pieces.addAll(more);
        return this;
    }

    List<Piece> build() {
        return List.copyOf(pieces);
    }
}
