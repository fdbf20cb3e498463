import { area, onEveryAnswer } from '../lib/run/plan/cases.ts'

export const security = area('Security', [
  onEveryAnswer('security/no-secret-echo'),
  onEveryAnswer('security/no-shared-cache'),
])
