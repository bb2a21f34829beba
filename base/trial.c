#include "base/trial.h"

// The second way has to be so much faster: it takes another thread.
static const double WORTH = 0.9;

static void settle(struct trial *t)
{
	const bool better = t->least[1] < WORTH * t->least[0];
	if (better != t->better || !t->spell)
		t->spell = TRIAL_FIRST_SPELL;
	else if (t->spell < TRIAL_LONGEST_SPELL)
		t->spell *= 2;
	t->better = t->way = better;
	t->left = (uint64_t)t->spell * t->times;
	t->window = 0;
}

void trial_count(struct trial *t, uint64_t units, uint64_t ns)
{
	t->ns += ns;
	t->units += units;
	t->times++;
	if (t->ns < (t->warm ? TRIAL_WINDOW : TRIAL_WARM))
		return;
	if (t->warm) {
		const double cost = (double)t->ns / (double)(t->units ? t->units : 1);
		if (t->window < 2 || cost < t->least[t->way])
			t->least[t->way] = cost;
		if (++t->window < TRIAL_WINDOWS)
			t->way = !t->way;
		else
			settle(t);
	}
	t->warm = !t->warm;
	t->ns = t->units = t->times = 0;
}
