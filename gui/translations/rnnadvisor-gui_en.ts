<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en_US">
<context>
    <name>rnnadvisor::gui::CompareView</name>
    <message numerus="yes">
        <source>Call against its partner: %1 in the median (%n call(s), %2).</source>
        <translation>
            <numerusform>Call against its partner: %1 in the median (%n call, %2).</numerusform>
            <numerusform>Call against its partner: %1 in the median (%n calls, %2).</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::ExplorerView</name>
    <message numerus="yes">
        <source>%n call(s): %1</source>
        <translation>
            <numerusform>%n call: %1</numerusform>
            <numerusform>%n calls: %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::FindingsModel</name>
    <message numerus="yes">
        <source>%n configuration(s)</source>
        <translation>
            <numerusform>%n configuration</numerusform>
            <numerusform>%n configurations</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::OverviewView</name>
    <message numerus="yes">
        <source> (%1 time(s))</source>
        <translation>
            <numerusform> (%1 time)</numerusform>
            <numerusform> (%1 times)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n configuration(s)</source>
        <translation>
            <numerusform>%n configuration</numerusform>
            <numerusform>%n configurations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>error(s)</source>
        <translation>
            <numerusform>error</numerusform>
            <numerusform>errors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>warning(s)</source>
        <translation>
            <numerusform>warning</numerusform>
            <numerusform>warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>opportunity(s)</source>
        <translation>
            <numerusform>opportunity</numerusform>
            <numerusform>opportunities</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>RNN call(s)</source>
        <translation>
            <numerusform>RNN call</numerusform>
            <numerusform>RNN calls</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>kernel(s)</source>
        <translation>
            <numerusform>kernel</numerusform>
            <numerusform>kernels</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %2 time(s)</source>
        <translation>
            <numerusform>%1, %2 time</numerusform>
            <numerusform>%1, %2 times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more finding(s)</source>
        <translation>
            <numerusform>%n more finding</numerusform>
            <numerusform>%n more findings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more remark(s)</source>
        <translation>
            <numerusform>%n more remark</numerusform>
            <numerusform>%n more remarks</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::RecurrenceWidget</name>
    <message numerus="yes">
        <source>%n step(s), one after the other</source>
        <translation>
            <numerusform>%n step, one after the other</numerusform>
            <numerusform>%n steps, one after the other</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::RulesView</name>
    <message numerus="yes">
        <source>%1 of %n rule(s)</source>
        <translation>
            <numerusform>%1 of %n rule</numerusform>
            <numerusform>%1 of %n rules</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::Texts</name>
    <message numerus="yes">
        <source>%n call(s)</source>
        <translation>
            <numerusform>%n call</numerusform>
            <numerusform>%n calls</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The change makes %n call(s) of one: times, lower bound and memory are sums over all of them; kernels, findings and parameters are those of the first. Memory is at most that, for calls may share a workspace.</source>
        <translation>
            <numerusform>The change makes %n call of one: times, lower bound and memory are sums over all of them; kernels, findings and parameters are those of the first. Memory is at most that, for calls may share a workspace.</numerusform>
            <numerusform>The change makes %n calls of one: times, lower bound and memory are sums over all of them; kernels, findings and parameters are those of the first. Memory is at most that, for calls may share a workspace.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more call(s)</source>
        <translation>
            <numerusform>%n more call</numerusform>
            <numerusform>%n more calls</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more kernel(s)</source>
        <translation>
            <numerusform>%n more kernel</numerusform>
            <numerusform>%n more kernels</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Also in %n other configuration(s)</source>
        <translation>
            <numerusform>Also in one other configuration</numerusform>
            <numerusform>Also in %n other configurations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n process(es) have recorded %1 so far.</source>
        <translation>
            <numerusform>One process has recorded %1 so far.</numerusform>
            <numerusform>%n processes have recorded %1 so far.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The record has %1 RNN call(s) of it.</source>
        <translation>
            <numerusform>The record has %1 RNN call of it.</numerusform>
            <numerusform>The record has %1 RNN calls of it.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The last %n have no kernels: what was run on the GPU was not recorded yet.</source>
        <translation>
            <numerusform>The last one has no kernels: what it ran on the GPU was not recorded yet.</numerusform>
            <numerusform>The last %n have no kernels: what they ran on the GPU was not recorded yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 configuration(s) were not finished: the run was interrupted.</source>
        <translation>
            <numerusform>%1 of %2 configuration was not finished: the run was interrupted.</numerusform>
            <numerusform>%1 of %2 configurations were not finished: the run was interrupted.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>dropped %1 record(s)</source>
        <translation>
            <numerusform>dropped %1 record</numerusform>
            <numerusform>dropped %1 records</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 (%2 time(s))</source>
        <translation>
            <numerusform>%1 (%2 time)</numerusform>
            <numerusform>%1 (%2 times)</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 of %n configuration(s)</source>
        <translation>
            <numerusform>%1 of %n configuration</numerusform>
            <numerusform>%1 of %n configurations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 RNN call(s) seen</source>
        <translation>
            <numerusform>%1 RNN call seen</numerusform>
            <numerusform>%1 RNN calls seen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %n process(es)</source>
        <translation>
            <numerusform>, %n process</numerusform>
            <numerusform>, %n processes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n call(s): %1</source>
        <translation>
            <numerusform>%n call: %1</numerusform>
            <numerusform>%n calls: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, %2 time(s)</source>
        <translation>
            <numerusform>%1, %2 time</numerusform>
            <numerusform>%1, %2 times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::TimelineWidget</name>
    <message numerus="yes">
        <source>%n are marked as evidence of a finding.</source>
        <translation>
            <numerusform>%n is marked as evidence of a finding.</numerusform>
            <numerusform>%n are marked as evidence of a finding.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::TraceView</name>
    <message numerus="yes">
        <source>%1 of %n configuration(s) were measured on the GPU, but no kernels were recorded, so there is no timeline. This traces one of them:</source>
        <translation>
            <numerusform>%1 of %n configuration was measured on the GPU, but no kernels were recorded, so there is no timeline. This traces one of them:</numerusform>
            <numerusform>%1 of %n configurations were measured on the GPU, but no kernels were recorded, so there is no timeline. This traces one of them:</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>rnnadvisor::gui::recurrence::Canvas</name>
    <message numerus="yes">
        <source>: %1 time steps in %n row(s) of layers and directions.</source>
        <translation>
            <numerusform>: %1 time steps in %n row of layers and directions.</numerusform>
            <numerusform>: %1 time steps in %n rows of layers and directions.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s), %1</source>
        <translation>
            <numerusform>%n step, %1</numerusform>
            <numerusform>%n steps, %1</numerusform>
        </translation>
    </message>
</context>
</TS>
