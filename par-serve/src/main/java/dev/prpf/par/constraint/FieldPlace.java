package dev.prpf.par.constraint;

import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Inside an object whose fields are known, between two of them or in a key.
 *
 * @param fields of the object
 * @param given those that stand already, this key's not among them; not to be changed
 * @param like a field whose key begins with what is written of this one, the first that is not given; -1 before a key
 * @param offset bytes written of a comma and a key
 */
record FieldPlace(Fields fields, BitSet given, int like, int offset) implements Expression {
    @Override
    public @Nullable List<Expression> step(int b) {
        return fields.step(this, b);
    }

    @Override
    public @Nullable List<Expression> end() {
        return null;
    }

    @Override
    public int cost() {
        return fields.cost(this);
    }

    @Override
    public int onlyByte() {
        return fields.onlyByte(this);
    }
}
