import { testRules } from '../rules.ts'

testRules('quota')
