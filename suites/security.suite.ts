import { area, onEveryAnswer } from '../lib/run/plan/rule.ts'

export const security = area('Security', [
  onEveryAnswer('security/no-secret-echo'),
  onEveryAnswer('security/no-shared-cache'),
])
