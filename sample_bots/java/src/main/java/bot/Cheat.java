package bot;

import com.google.protobuf.ByteString;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.cheatarena.v1.CheatAction;
import org.cheatarena.v1.CheatActionKind;
import org.cheatarena.v1.CheatCards;
import org.cheatarena.v1.CheatChoose;
import org.cheatarena.v1.CheatCut;
import org.cheatarena.v1.CheatRuleset;
import org.cheatarena.v1.CheatTurn;
import org.cheatarena.v1.Decision;
import org.cheatarena.v1.Event;
import org.cheatarena.v1.Prompt;
import org.cheatarena.v1.SeatSnapshot;

/** Cheat: lays as many true cards as it can, or else the smallest lie, and calls only claims that cannot be true. */
final class Cheat implements Game {
    private static final int JOKER = 52;

    /** The last move, as its seat claimed it. `isMiscounted`: everybody saw that the claimed number was a lie. */
    record Claim(int rank, int count, boolean isMiscounted) {}

    private final int packs;
    private final int jokers;
    private int[] hand = new int[JOKER + 1];
    /** The cards on the pile that this seat knows: its own. By card, like every array here. */
    private int[] pile = new int[JOKER + 1];
    /** The known cards that are out of the game. */
    private final int[] banished = new int[JOKER + 1];

    private Claim claim = new Claim(0, 0, false);

    Cheat(CheatRuleset rules, int seats) {
        packs = rules.getDecks() > 0 ? rules.getDecks() : seats > 4 ? 2 : 1;
        jokers = rules.getJokersPerDeck() * packs;
    }

    @Override
    public void learn(Event event) {
        switch (event.getFactCase()) {
            case CHEAT_HAND -> hand = read(event.getCheatHand().getCards());
            case CHEAT_LAID -> {
                var laid = read(event.getCheatLaid().getCards());
                add(hand, laid, -1);
                add(pile, laid, 1);
            }
            case CHEAT_TAKEN -> add(hand, read(event.getCheatTaken().getCards()), 1);
            case CHEAT_PLAYED -> {
                var played = event.getCheatPlayed();
                var isMiscounted = played.hasLaid() && played.getLaid() != played.getCount();
                claim = new Claim(played.getRank(), played.getCount(), isMiscounted);
            }
            case CHEAT_CALLED -> forgetPile(false);
            case CHEAT_BELIEVED -> forgetPile(event.getCheatBelieved().getRight());
            case CHEAT_BANISHED -> forgetPile(true);
            case CHEAT_HAND_CHECKED -> {
                if (!event.getCheatHandChecked().getTrueClaim()) {
                    forgetPile(false);
                }
            }
            default -> {}
        }
    }

    private void forgetPile(boolean isBanished) {
        if (isBanished) {
            add(banished, pile, 1);
        }
        pile = new int[JOKER + 1];
    }

    @Override
    public void restore(SeatSnapshot snapshot) {
        var state = snapshot.getCheat();
        hand = read(state.getHand());
        pile = new int[JOKER + 1];
        claim = new Claim(0, 0, false);
        for (var layer : state.getPileList()) {
            add(pile, read(layer.getOwnCards()), 1);
        }
        if (state.getCallable() && state.getPileCount() > 0) {
            var last = state.getPile(state.getPileCount() - 1);
            if (!last.getAbandoned() && last.getSeat() == state.getMover()) {
                var isMiscounted = last.hasLaid() && last.getLaid() != last.getCount();
                claim = new Claim(last.getRank(), last.getCount(), isMiscounted);
            }
        }
    }

    @Override
    public void answer(Prompt prompt, Decision.Builder decision) {
        decision.setCheat(
                switch (prompt.getOptionsCase()) {
                    case CHEAT_TURN -> turn(prompt.getCheatTurn());
                    case CHEAT_WINDOW -> doubt(prompt.getCheatWindow().getCanBelieve());
                    case CHEAT_CUT -> cutEvenly(prompt.getCheatCut());
                    case CHEAT_CHOOSE -> chooseThinnest(prompt.getCheatChoose());
                    default -> throw new IllegalArgumentException("no answer to " + prompt.getOptionsCase());
                });
    }

    /** Whether a claim is certainly a lie: it claims more cards than there are outside the places known here. */
    boolean isLie(Claim claim) {
        var located = 0;
        for (var known : new int[][] {hand, pile, banished}) {
            located += natural(known, claim.rank) + known[JOKER];
        }
        return claim.isMiscounted || claim.count > 0 && claim.count + located > 4 * packs + jokers;
    }

    private CheatAction doubt(boolean canBelieve) {
        if (isLie(claim)) {
            return act(CheatActionKind.CHEAT_ACTION_KIND_CALL);
        }
        // a play of no cards is always true
        return act(
                canBelieve && claim.count == 0
                        ? CheatActionKind.CHEAT_ACTION_KIND_BELIEVE
                        : CheatActionKind.CHEAT_ACTION_KIND_DECLINE);
    }

    CheatAction turn(CheatTurn turn) {
        if (turn.getCanCall()) {
            var doubt = doubt(turn.getCanBelieve());
            if (doubt.getKind() != CheatActionKind.CHEAT_ACTION_KIND_DECLINE) {
                return doubt;
            }
        }
        var play = largestTrue(turn);
        if (play != null) {
            return play;
        }
        if (turn.getCanPass()) {
            return act(CheatActionKind.CHEAT_ACTION_KIND_PASS);
        }
        return smallestLie(turn);
    }

    /**
     * Returns the true play with the most cards; of several, the one with the fewest jokers, then the one of the lowest
     * rank. Returns null if there is none.
     */
    private CheatAction largestTrue(CheatTurn turn) {
        var hasNatural = IntStream.range(0, JOKER).anyMatch(card -> hand[card] > 0);
        var best = -1;
        var bestCount = 0;
        for (var rank : turn.getRanks()) {
            var natural = natural(hand, rank);
            // jokers lie open only together with a card of the rank
            var most = natural == 0 && turn.getFaceUp() && hasNatural ? 0 : natural + hand[JOKER];
            var count = largestCount(turn, most);
            var isBetter = count > bestCount
                    || count > 0
                            && count == bestCount
                            && Math.min(natural, count) > Math.min(natural(hand, best), count);
            if (isBetter) {
                best = rank;
                bestCount = count;
            }
        }
        var rank = best;
        return bestCount == 0
                ? null
                : play(cards().filter(card -> card / 4 == rank || card == JOKER).limit(bestCount), rank, bestCount);
    }

    /**
     * Returns a lie with as few cards as possible: single cards first, and of the rank that others have the fewest of. If
     * no card may be laid, it is the play of no cards: who waits is soon the only one with cards.
     */
    private CheatAction smallestLie(CheatTurn turn) {
        if (turn.getCountsCount() == 0 || turn.getFaceUp()) {
            if (!turn.getZero()) {
                throw new IllegalStateException("no legal play: " + turn);
            }
            return play(IntStream.empty(), turn.getRanks().byteAt(0), 0);
        }
        var count = turn.getCounts(0);
        var laid = turn.getLaidCount() == 0 ? count : Math.min(Math.max(count, turn.getLaid(0)), turn.getLaid(1));
        var rank = -1;
        for (var each : turn.getRanks()) {
            rank = rank < 0 || natural(hand, each) > natural(hand, rank) ? each : rank;
        }
        var claimed = rank;
        var order = Comparator.<Integer, Boolean>comparing(card -> card == JOKER)
                .thenComparing(card -> card / 4 == claimed)
                .thenComparing(card -> card == JOKER ? 0 : natural(hand, card / 4))
                .thenComparing(card -> card);
        return play(cards().boxed().sorted(order).limit(laid).mapToInt(card -> card), rank, count);
    }

    /** Every card of the hand, in ascending order. */
    private IntStream cards() {
        return IntStream.rangeClosed(0, JOKER)
                .flatMap(card -> IntStream.generate(() -> card).limit(hand[card]));
    }

    /** Returns the largest number that a true play of at most {@code most} cards may claim; 0 if there is none. */
    private static int largestCount(CheatTurn turn, int most) {
        var hasLaid = turn.getLaidCount() > 0;
        var room = hasLaid ? Math.min(most, turn.getLaid(1)) : most;
        var largest = 0;
        for (var at = 0; at + 1 < turn.getCountsCount(); at += 2) {
            if (turn.getCounts(at) <= room) {
                largest = Math.min(turn.getCounts(at + 1), room);
            }
        }
        return hasLaid && largest < turn.getLaid(0) ? 0 : largest;
    }

    static CheatAction cutEvenly(CheatCut cut) {
        var packets = cut.getPacketCount();
        var action = CheatAction.newBuilder().setKind(CheatActionKind.CHEAT_ACTION_KIND_CUT);
        for (var packet = 0; packet < packets; packet++) {
            action.addSizes(cut.getCardCount() / packets + (packet < cut.getCardCount() % packets ? 1 : 0));
        }
        return action.build();
    }

    private static CheatAction chooseThinnest(CheatChoose choice) {
        var best = choice.getFree().byteAt(0);
        for (var packet : choice.getFree()) {
            best = choice.getSizes(packet) < choice.getSizes(best) ? packet : best;
        }
        return CheatAction.newBuilder()
                .setKind(CheatActionKind.CHEAT_ACTION_KIND_CHOOSE)
                .setPacket(best)
                .build();
    }

    private static CheatAction act(CheatActionKind kind) {
        return CheatAction.newBuilder().setKind(kind).build();
    }

    private static CheatAction play(IntStream cards, int rank, int count) {
        var laid = ByteString.newOutput();
        cards.forEach(laid::write);
        return CheatAction.newBuilder()
                .setKind(CheatActionKind.CHEAT_ACTION_KIND_PLAY)
                .setCards(laid.toByteString())
                .setRank(rank)
                .setCount(count)
                .build();
    }

    /** Reads both forms in which cards are sent, into how often each card occurs. */
    static int[] read(CheatCards cards) {
        var counts = new int[JOKER + 1];
        for (var card : cards.getCards()) {
            counts[card]++;
        }
        for (var at = 0; at + 1 < cards.getCountedCount(); at += 2) {
            counts[cards.getCounted(at)] += cards.getCounted(at + 1);
        }
        return counts;
    }

    private static void add(int[] to, int[] cards, int times) {
        for (var card = 0; card <= JOKER; card++) {
            to[card] = Math.max(0, to[card] + times * cards[card]);
        }
    }

    /** The number of cards of a rank, without jokers. */
    private static int natural(int[] cards, int rank) {
        return cards[4 * rank] + cards[4 * rank + 1] + cards[4 * rank + 2] + cards[4 * rank + 3];
    }
}
