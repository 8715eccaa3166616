package bot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class InstanceTest {
    @Test
    void aProgramThatStartsAgainHasTheSameInstance() {
        var first = new Instance("", "2.1");
        var again = new Instance("", "2.1");
        assertEquals(first.name(), again.name());
        assertNotEquals(first.name(), new Instance("", "2.2").name());
        assertFalse(first.settle(first.name()));
        assertTrue(again.settle("name.2"));
        assertEquals("name.2", again.name());
        assertFalse(again.isDerived());
        assertTrue(again.giveWay());
        assertFalse(again.giveWay());
    }

    @Test
    void aChosenInstanceStays() {
        var chosen = new Instance("one", "");
        assertFalse(chosen.isDerived() || chosen.settle("other") || chosen.giveWay());
        assertEquals("one", chosen.name());
    }
}
