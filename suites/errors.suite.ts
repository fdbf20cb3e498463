import { area, onEveryAnswer } from '../lib/run/plan/rule.ts'

export const errors = area('Errors', [
  onEveryAnswer('errors/body-shape'),

  onEveryAnswer('errors/documented-pairs'),
])
