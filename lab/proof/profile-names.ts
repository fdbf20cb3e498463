import type { ProfileName } from '../../lib/settings/profiles.ts'

/** The profiles from the one that sends least to the one that sends most. */
export const profileNames = ['gate', 'acceptance', 'nightly'] as const satisfies readonly ProfileName[]
