// A module for clang-tidy 19 with a check that reports nothing: it narrows what the other checks
// look at to the product's declarations. Without it they walk through all that the precompiled
// headers hold of Qt, JSON and the standard library, which takes 20 times as long as the rest and
// is not reported. From version 21 on clang-tidy does this itself.
#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang-tidy/ClangTidyModuleRegistry.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>

namespace {

class OwnCode : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerMatchers(clang::ast_matchers::MatchFinder* finder) override {
    finder->addMatcher(clang::ast_matchers::translationUnitDecl().bind("unit"), this);
  }

  // The unit is matched before its declarations are walked through.
  void check(const clang::ast_matchers::MatchFinder::MatchResult& result) override {
    const auto* unit = result.Nodes.getNodeAs<clang::TranslationUnitDecl>("unit");
    std::vector<clang::Decl*> own;
    for (clang::Decl* declaration : unit->noload_decls())
      if (!result.SourceManager->isInSystemHeader(
              result.SourceManager->getExpansionLoc(declaration->getLocation())))
        own.push_back(declaration);
    result.Context->setTraversalScope(own);
  }
};

class Module : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<OwnCode>("rnnadvisor-own-code");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> registered("rnnadvisor", "");

}  // namespace
