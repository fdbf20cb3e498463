import { area, onEveryAnswer } from '../lib/run/plan/cases.ts'

export const errors = area('Errors', [
  onEveryAnswer('errors/body-shape'),

  onEveryAnswer('errors/documented-pairs'),
])
