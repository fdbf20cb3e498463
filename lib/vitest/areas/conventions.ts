import { testRules } from '../rules.ts'

testRules('conventions')
