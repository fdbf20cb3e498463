import { testRules } from '../rules.ts'

testRules('fuzz')
