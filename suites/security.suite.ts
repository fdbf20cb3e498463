import { area, onEveryAnswer } from '../lib/engine/plan/rule.ts'

export const security = area('Security', [
  onEveryAnswer('security/no-secret-echo'),
  onEveryAnswer('security/no-shared-cache'),
])
