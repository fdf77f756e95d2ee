package dev.prpf.par.constraint;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Marks, below what an {@link OpenObject} still expects, where it ends; writes nothing. So a state knows how many such objects it stands in.
 */
enum ObjectEnd implements Expression {
    MARK;

    @Override
    public @Nullable List<Expression> step(int b) {
        return null;
    }

    @Override
    public List<Expression> end() {
        return List.of();
    }

    @Override
    public int cost() {
        return 0;
    }
}
