import { testRules } from '../rule-tests.ts'

testRules('fuzz')
