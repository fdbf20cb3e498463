/** How many faults of the proof that a full gate finds are also found with one case a rule. `npm run proof -- --essential` measures it. */
export const essentialShare = { found: 208, of: 459 } as const
